import { DIAGONALS, POINTS, column, row } from "./points";

/** The side of the drawing in its own units: 100 for a step of the grid, and a margin for the coordinates. */
export const SIZE = 740;

const MARGIN = 70;

/** The place of a point in the drawing. */
export const place = (point: string): readonly [number, number] => [
  MARGIN + 100 * column(point),
  MARGIN + 100 * row(point),
];

const RINGS = [
  [MARGIN, 600],
  [MARGIN + 100, 400],
  [MARGIN + 200, 200],
] as const;

const SPOKES = ["d7-d5", "g4-e4", "d1-d3", "a4-c4"];

/** The lines of the board. */
export function Lines({ diagonals }: { diagonals: boolean }) {
  const spokes = diagonals
    ? [...SPOKES, ...DIAGONALS.map((line) => `${POINTS[line[2]!]}-${POINTS[line[0]!]}`)]
    : SPOKES;
  return (
    <g class="board-lines">
      {RINGS.map(([start, side]) => (
        <rect key={start} x={start} y={start} width={side} height={side} rx="3" />
      ))}
      {spokes.map((spoke) => {
        const [from, to] = spoke.split("-").map((point) => place(point));
        return <path key={spoke} d={`M${from!.join(" ")}L${to!.join(" ")}`} />;
      })}
    </g>
  );
}

/** The empty board: lines, points and coordinates. */
export function EmptyBoard({ diagonals }: { diagonals: boolean }) {
  return (
    <g>
      <Lines diagonals={diagonals} />
      <g class="board-dots">
        {POINTS.map((point) => {
          const [x, y] = place(point);
          return <circle key={point} cx={x} cy={y} r="9" />;
        })}
      </g>
      <g class="board-names">
        {[..."abcdefg"].map((file, i) => (
          <text key={file} x={MARGIN + 100 * i} y="730">
            {file}
          </text>
        ))}
        {[..."7654321"].map((rank, i) => (
          <text key={rank} x="17" y={MARGIN + 7 + 100 * i}>
            {rank}
          </text>
        ))}
      </g>
    </g>
  );
}

/** Colours and shadows that the men share. */
export function Definitions() {
  return (
    <defs>
      <radialGradient id="man-w" cx="38%" cy="30%" r="75%">
        <stop offset="0%" class="man-w-light" />
        <stop offset="70%" class="man-w-middle" />
        <stop offset="100%" class="man-w-dark" />
      </radialGradient>
      <radialGradient id="man-b" cx="38%" cy="30%" r="80%">
        <stop offset="0%" class="man-b-light" />
        <stop offset="60%" class="man-b-middle" />
        <stop offset="100%" class="man-b-dark" />
      </radialGradient>
      <radialGradient id="man-shadow">
        <stop offset="55%" class="shadow-middle" />
        <stop offset="100%" class="shadow-edge" />
      </radialGradient>
    </defs>
  );
}

/** The mark of a closed point, drawn around the origin. */
export const Mark = () => <path class="marked" d="M-20-20L20 20M20-20L-20 20" />;

/** A man, drawn around the origin. */
export function Disc({ side }: { side: string }) {
  return (
    <g class={`disc disc-${side}`}>
      <circle cx="2" cy="8" r="47" fill="url(#man-shadow)" />
      <circle class="disc-body" r="40" fill={`url(#man-${side})`} />
      <circle class="disc-ring" r="28" />
      <circle class="disc-ring" r="16" />
    </g>
  );
}
