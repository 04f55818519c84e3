import type { GameState, Probe, Side, Value } from "millstone-mill";
import { forWhite, height, type Score } from "../engine/info";
import { t } from "../i18n";
import { isDraw } from "../parts/result";
import { scoreText } from "../parts/value";

/** The value of a position as the page shows it. */
export interface Judgement {
  /** True if it comes from a tablebase or the rules, false if from the search. */
  exact: boolean;
  /** From 0 (Black wins) to 1 (White wins). */
  white: number;
  /** In the language in use when it is read. */
  readonly text: string;
}

const opposite: Record<Value, Value> = { win: "loss", draw: "draw", loss: "win" };

/** A value seen from White. */
export const valueForWhite = (value: Value, side: Side): Value => (side === "w" ? value : opposite[value]);

/** An exact value of a side in words that name the winner: "Black wins in 3 plies". */
export function exactText(value: Value, plies: number | null, side: Side): string {
  if (value === "draw") return t("result.draw");
  const result = t(valueForWhite(value, side) === "win" ? "result.win.w" : "result.win.b");
  return plies === null ? result : t("analyse.winsIn", { result, n: plies });
}

/** Judges by an exact value. Returns null if there is none. */
export function byProbe({ value, plies }: Probe, side: Side): Judgement | null {
  if (!value) return null;
  const white = valueForWhite(value, side);
  return {
    exact: true,
    white: white === "win" ? 1 : white === "loss" ? 0 : 0.5,
    get text() {
      return exactText(value, plies, side);
    },
  };
}

/** Judges by a score of the search. */
export function byScore(score: Score, side: Side): Judgement {
  const white = forWhite(score, side);
  return {
    exact: false,
    white: height(white),
    get text() {
      return scoreText(white);
    },
  };
}

/** Judges a game that is over. Returns null if its text does not tell who has won. */
export function byResult(result: NonNullable<GameState["result"]>): Judgement | null {
  const { winner } = result;
  if (!winner && !isDraw(result)) return null;
  return {
    exact: true,
    white: winner === "w" ? 1 : winner === "b" ? 0 : 0.5,
    get text() {
      return winner ? t(`result.win.${winner}`) : t("result.draw");
    },
  };
}
