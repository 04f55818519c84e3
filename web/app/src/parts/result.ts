import type { Side } from "millstone-mill";
import { has, t } from "../i18n";

/** The end of a game in words, from the reader's side if it took part. */
export function resultText(result: { winner: Side | null; reason: string }, human: Side | null = null): string {
  const who = !result.winner
    ? t("result.draw")
    : !human
      ? t(`result.win.${result.winner}`)
      : t(result.winner === human ? "result.youWin" : "result.youLose");
  const key = `reason.${result.reason}`;
  return has(key) ? `${who}: ${t(key)}` : who;
}

/** The name of a rule set in the language in use. */
export function rulesName(id: string, name: string): string {
  const key = `rules.${id}`;
  return has(key) ? t(key) : name;
}
