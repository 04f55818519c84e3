import type { Side } from "millstone-mill";
import { has, t } from "../i18n";

interface Result {
  winner: Side | null;
  reason: string;
}

/** True for a draw. A position text may also say that the game is over, but not who has won. */
export const isDraw = ({ winner, reason }: Result): boolean => winner === null && reason.startsWith("draw");

/** The end of a game in words, from the reader's side if it took part. */
export function resultText(result: Result, human: Side | null = null): string {
  if (!result.winner && !isDraw(result)) return t("result.over");
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
