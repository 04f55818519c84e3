import { t } from "../i18n";
import type { View } from "../state/desk";

/** The move in words: "White places a man on d6." */
export function spokenMove(move: string, side: "w" | "b"): string {
  const who = t(`side.${side}`);
  if (move.startsWith("x")) return t("say.take", { side: who, to: move.slice(1) });
  const [from, to] = move.split("-");
  return to
    ? t("say.slide", { side: who, from: from!, to })
    : t("say.place", { side: who, to: from! });
}

/** The last move of the shown position in words, and the mill it closed. */
export function spokenLast(view: View): string {
  const move = view.moves[view.ply - 1];
  if (!move) return t("say.start");
  const text = spokenMove(move.text, move.side);
  const mill = !move.text.startsWith("x") && view.state.phase === "take" && view.state.side === move.side;
  return mill ? `${text} ${t("say.mill")}` : text;
}
