import { place } from "./drawing";
import { POINTS } from "./points";

/** A small board without names and shadows. */
export const Mini = ({ board }: { board: string }) => (
  <svg class="mini" viewBox="15 15 710 710" aria-hidden="true">
    <g class="board-lines">
      <rect x="70" y="70" width="600" height="600" />
      <rect x="170" y="170" width="400" height="400" />
      <rect x="270" y="270" width="200" height="200" />
      <path d="M370 70V270M370 470V670M70 370H270M470 370H670" />
    </g>
    {POINTS.map((point, i) => {
      const man = board[i];
      if (man !== "w" && man !== "b") return null;
      const [x, y] = place(point);
      return <circle key={point} class={`mini-${man}`} cx={x} cy={y} r="46" />;
    })}
  </svg>
);
