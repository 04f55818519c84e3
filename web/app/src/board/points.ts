/**
 * The 24 points in the order of position texts: inner ring, middle ring, outer ring, clockwise from the top.
 */
export const POINTS: readonly string[] = (
  "d5 e5 e4 e3 d3 c3 c4 c5 " +
  "d6 f6 f4 f2 d2 b2 b4 b6 " +
  "d7 g7 g4 g1 d1 a1 a4 a7"
).split(" ");

/** The column of a point, 0 for file a to 6 for file g. */
export const column = (point: string): number => point.charCodeAt(0) - 97;

/** The row of a point on the screen, 0 for rank 7 to 6 for rank 1. */
export const row = (point: string): number => 7 - Number(point[1]);

/** The diagonal lines of boards that have them. */
export const DIAGONALS: readonly (readonly number[])[] = [1, 3, 5, 7].map((k) => [k, 8 + k, 16 + k]);

/** The four directions of the arrow keys, in columns and rows. */
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/**
 * The point that an arrow key leads to. Points in the same row or column come first; otherwise the nearest
 * one in that direction, so that every point can be reached. Returns the point itself at the edge.
 */
export function step(from: string, key: string): string {
  const direction = DIRECTIONS[key];
  if (!direction) return from;
  const [dx, dy] = direction;
  let best = from;
  let least = Infinity;
  for (const point of POINTS) {
    const x = column(point) - column(from);
    const y = row(point) - row(from);
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (along <= 0 || (aside > 0 && aside > along)) continue;
    const cost = along + aside * 20;
    if (cost < least) {
      least = cost;
      best = point;
    }
  }
  return best;
}
