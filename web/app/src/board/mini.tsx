import { Lines, Mark, place } from "./drawing";
import { POINTS } from "./points";

/** A small board without names and shadows. */
export const Mini = ({ board, diagonals }: { board: string; diagonals: boolean }) => (
  <svg class="mini" viewBox="15 15 710 710" aria-hidden="true">
    <Lines diagonals={diagonals} />
    {POINTS.map((point, i) => {
      const man = board[i];
      if (man === "." || man === undefined) return null;
      return (
        <g key={point} transform={`translate(${place(point).join(" ")})`}>
          {man === "x" ? <Mark /> : <circle class={`mini-${man}`} r="46" />}
        </g>
      );
    })}
  </svg>
);
