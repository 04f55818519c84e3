import { useState } from "preact/hooks";
import type { Probe, Side } from "millstone-mill";
import { forWhite } from "../engine/info";
import { number, t } from "../i18n";
import { scoreText } from "../parts/value";
import type { Line } from "./analysis";
import { exactText, valueForWhite } from "./judgement";

interface Props {
  infos: readonly Line[];
  exact: Probe | null;
  side: Side;
  onMove: (move: string, event: MouseEvent) => void;
}

/** The best lines, each with its exact value where it is known and else with the score of the search. */
export function LinesList({ infos, exact, side, onMove }: Props) {
  const [isWhole, setWhole] = useState(false);
  if (infos.length === 0) return <p class="muted">{t("analyse.waiting")}</p>;
  const first = infos[0]!;
  return (
    <div>
      <ol class={isWhole ? "lines whole" : "lines"}>
        {infos.map((info) => {
          const known = exact?.moves.find((move) => move.move === info.pv[0]);
          return (
            <li key={info.line}>
              <button type="button" onClick={(event) => onMove(info.pv[0]!, event)}>
                <span class="unseen">{t("analyse.line", { n: info.line })}</span>
                {known?.value ? (
                  <span class={`badge exact ${valueForWhite(known.value, side)}`} title={t("analyse.exact")}>
                    {exactText(known.value, known.plies, side)}
                  </span>
                ) : (
                  <span class="badge search" title={t("analyse.search")}>
                    {scoreText(forWhite(info.score, side))}
                  </span>
                )}
                <span class="pv">{info.turns.map((turn) => turn.text).join(" ")}</span>
              </button>
            </li>
          );
        })}
      </ol>
      <label class="check small">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={(event) => setWhole(event.currentTarget.checked)}
        />
        {t("analyse.wholeLines")}
      </label>
      <p class="muted small">
        {t("analyse.depth", { n: first.depth })} · {number(first.nps / 1000)} kN/s
      </p>
    </div>
  );
}
