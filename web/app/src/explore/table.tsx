import type { ProbedMove, Value } from "millstone-mill";
import { number, t } from "../i18n";

const GROUPS: readonly [
  Value | null,
  "explore.wins" | "explore.draws" | "explore.losses" | "explore.unknownMoves",
][] = [
  ["win", "explore.wins"],
  ["draw", "explore.draws"],
  ["loss", "explore.losses"],
  [null, "explore.unknownMoves"],
];

interface Props {
  moves: readonly ProbedMove[];
  onMove: (move: string, event: MouseEvent) => void;
  onPoint: (move: string | null) => void;
}

/** Every legal move with its exact value, best first. */
export function MoveTable({ moves, onMove, onPoint }: Props) {
  return (
    <div class="probe-scroll" role="region" aria-label={t("explore.moves")} tabIndex={0}>
      <table class="probe">
        <caption class="unseen">{t("explore.moves")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("explore.move")}</th>
            <th scope="col">{t("explore.plies")}</th>
            <th scope="col">{t("explore.replies")}</th>
          </tr>
        </thead>
        {GROUPS.map(([value, title]) => {
          const group = moves.filter((move) => move.value === value);
          if (group.length === 0) return null;
          return (
            <tbody key={title} class={`group ${value ?? "unknown"}`}>
              <tr class="group-title">
                <th colSpan={3} scope="rowgroup">
                  {t(title)} <span class="count">{number(group.length)}</span>
                </th>
              </tr>
              {group.map(({ move, plies, drawingReplies }) => (
                <tr key={move} onMouseEnter={() => onPoint(move)} onMouseLeave={() => onPoint(null)}>
                  <td>
                    <button
                      type="button"
                      class="probe-move"
                      data-move={move}
                      onFocus={() => onPoint(move)}
                      onBlur={() => onPoint(null)}
                      onClick={(event) => onMove(move, event)}
                    >
                      {move}
                    </button>
                  </td>
                  <td class="figure">{plies === null ? "–" : number(plies)}</td>
                  <td class="figure">{drawingReplies === null ? "–" : number(drawingReplies)}</td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}
