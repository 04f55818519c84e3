import { place } from "./drawing";

/** A move shown on the board. */
export interface Arrow {
  /** A move of the notation: `d6`, `d6-f6` or `xd6`. */
  move: string;
  /** The look: `best`, `other`, `hint`, `win`, `draw`, `loss`. */
  kind: string;
  /** 1 for the most important arrow, less for others. */
  weight?: number;
  /** The rank, written into a ring, which shows weight less clearly than an arrow. */
  rank?: number;
}

/** The outline of an arrow from one point to another, ending at the edge of the man there. */
function outline(from: string, to: string, width: number): string {
  const [x, y] = place(from);
  const [u, v] = place(to);
  const length = Math.hypot(u - x, v - y);
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  const head = width * 2.4;
  const at = (along: number, aside: number) =>
    `${(x + dx * along - dy * aside).toFixed(1)} ${(y + dy * along + dx * aside).toFixed(1)}`;
  const w = width / 2;
  const end = length - 8;
  return `M${at(20, -w)}L${at(end - head, -w)}L${at(end - head, -head * 0.55)}L${at(end, 0)}L${at(end - head, head * 0.55)}L${at(end - head, w)}L${at(20, w)}Z`;
}

function Shape({ move, kind, weight = 1, rank }: Arrow) {
  const width = 8 + 12 * weight;
  if (move.startsWith("x")) {
    const [x, y] = place(move.slice(1));
    return (
      <g class={`arrow arrow-${kind}`} transform={`translate(${x} ${y})`}>
        <circle class="arrow-ring" r="46" />
        <path class="arrow-cross" d="M-18-18L18 18M18-18L-18 18" />
      </g>
    );
  }
  const [from, to] = move.split("-");
  if (!to) {
    const [x, y] = place(from!);
    return (
      <g class={`arrow arrow-${kind}`} transform={`translate(${x} ${y})`}>
        <circle class="arrow-spot" r={14 + 16 * weight} />
        {rank && (
          <text class="arrow-rank" dy="0.35em">
            {rank}
          </text>
        )}
      </g>
    );
  }
  return <path class={`arrow arrow-${kind}`} d={outline(from!, to, width)} />;
}

/** Moves as arrows, rings for men to place and crossed rings for takes; the most important one on top. */
export const Arrows = ({ arrows }: { arrows: readonly Arrow[] }) => (
  <g class="arrows">
    {[...arrows].reverse().map((arrow) => (
      <Shape key={`${arrow.rank} ${arrow.move} ${arrow.kind}`} {...arrow} />
    ))}
  </g>
);
