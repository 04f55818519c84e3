import type { Value } from "millstone-mill";
import type { Score } from "../engine/info";
import { number, t } from "../i18n";

/** An exact value in words: "win in 12". */
export function valueText(value: Value | null, plies: number | null): string {
  if (!value) return t("value.unknown");
  if (value === "draw" || plies === null) return t(`value.${value}`);
  return t(value === "win" ? "value.winIn" : "value.lossIn", { n: plies });
}

/** A score of the search as chess programs write it: men, or after `#` the turns in which a side wins. */
export function scoreText(score: Score): string {
  if (score.kind === "mate") return `#${score.value}`;
  const men = score.value / 100;
  return `${men > 0 ? "+" : men < 0 ? "−" : ""}${number(Math.abs(men), 2)}`;
}
