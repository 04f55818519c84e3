import type { Side } from "millstone-mill";
import { t } from "../i18n";
import { resultText } from "../parts/result";
import type { View } from "../state/desk";
import { takesOwn } from "./choice";
import { POINTS } from "./points";

/** The move in words: "White places a man on d6." */
export function spokenMove(move: string, side: "w" | "b"): string {
  const who = t(`side.${side}`);
  if (move.startsWith("x")) return t("say.take", { side: who, to: move.slice(1) });
  const [from, to] = move.split("-");
  return to ? t("say.slide", { side: who, from: from!, to }) : t("say.place", { side: who, to: from! });
}

const goalOf = (move: string): string => move.split("-").at(-1)!;

/**
 * True if the last turn began with a move that closed a mill. Its point was empty before, so the mill is new.
 */
export function closedMill({ state }: Pick<View, "state">): boolean {
  const [first] = state.lastMove;
  return (
    first !== undefined && !first.startsWith("x") && state.mills.some((mill) => mill.includes(goalOf(first)))
  );
}

/** True if a man has gone between two men of the other side. */
function isBetween({ state, lines }: View, move: string, side: "w" | "b"): boolean {
  const at = POINTS.indexOf(goalOf(move));
  const other = side === "w" ? "b" : "w";
  return lines.some(
    ([a, middle, b]) => middle === at && state.board[a] === other && state.board[b] === other,
  );
}

/** The men in hand by a position text, White first. */
const handsOf = (fen: string): [number, number] => {
  const fields = fen.split(" ");
  return [Number(fields[5]), Number(fields[7])];
};

/**
 * The last move of the shown position in words, and what it led to; the end of the game from the reader's
 * side.
 */
export function spokenLast(view: View, human: Side | null = null): string {
  const move = view.moves[view.ply - 1];
  if (!move) return t("say.start");
  const said = [spokenMove(move.text, move.side)];
  const isTake = move.text.startsWith("x");
  const { takes, phase, side, result } = view.state;
  if (!isTake && closedMill(view)) said.push(t("say.mill"));
  if (phase === "take") {
    const n = takes[side === "w" ? 0 : 1];
    const isIntervention =
      !isTake && side === move.side && !closedMill(view) && isBetween(view, move.text, side);
    if (isIntervention) said.push(t("say.between"));
    const due = takesOwn(view.legal, view.state) ? "say.dueOwn" : "say.due";
    said.push(t(due, { side: t(`side.${side}`), n }));
  }
  // By the rules of Dooz a placing can cost the other side a man in hand.
  const before = view.moves[view.ply - 2];
  const other = move.side === "w" ? 1 : 0;
  if (before && handsOf(move.fen)[other] < handsOf(before.fen)[other])
    said.push(t("say.fromHand", { side: t(move.side === "w" ? "side.b" : "side.w") }));
  if (result) said.push(resultText(result, human));
  return said.join(" ");
}
