import { t } from "../i18n";
import type { View } from "../state/desk";
import type { Judgement } from "./judgement";

const WIDTH = 600;
const HEIGHT = 120;
/** Room for half a point at each end. */
const MARGIN = 6;

interface Props {
  view: View;
  start: string;
  judgementOf: (fen: string) => Judgement | undefined;
  onGo: (ply: number) => void;
}

/** The values of the positions of a game. A click goes to the position. */
export function Graph({ view, start, judgementOf, onGo }: Props) {
  const fens = [start, ...view.moves.map((move) => move.fen)];
  const step = WIDTH / Math.max(1, fens.length - 1);
  const points = fens.flatMap((fen, ply) => {
    const judgement = judgementOf(fen);
    return judgement ? [{ ply, x: ply * step, y: 4 + (HEIGHT - 8) * (1 - judgement.white), judgement }] : [];
  });
  const path = points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const area =
    points.length > 1 ? `${path}L${points.at(-1)!.x} ${HEIGHT / 2}L${points[0]!.x} ${HEIGHT / 2}Z` : "";
  const onClick = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * (WIDTH + 2 * MARGIN) - MARGIN;
    onGo(Math.max(0, Math.min(fens.length - 1, Math.round(x / step))));
  };
  return (
    <svg
      class="graph"
      viewBox={`${-MARGIN} 0 ${WIDTH + 2 * MARGIN} ${HEIGHT}`}
      role="img"
      aria-label={`${t("analyse.graph")}. ${t("analyse.graphHint")}`}
      onClick={onClick}
    >
      <path class="graph-middle" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
      {area && <path class="graph-area" d={area} />}
      <path class="graph-line" d={path} />
      <path class="graph-now" d={`M${view.ply * step} 0V${HEIGHT}`} />
      {points.map(({ ply, x, y, judgement }) => (
        <circle key={ply} class={judgement.exact ? "graph-point exact" : "graph-point"} cx={x} cy={y} r="4">
          <title>{judgement.text}</title>
        </circle>
      ))}
    </svg>
  );
}
