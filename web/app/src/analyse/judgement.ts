import type { GameState, Probe, Side, Value } from "millstone-mill";
import { forWhite, height, type Score } from "../engine/info";
import { t } from "../i18n";
import { isDraw } from "../parts/result";
import { scoreText, valueText } from "../parts/value";

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

/** Judges by an exact value. Returns null if there is none. */
export function byProbe(probe: Probe, side: Side): Judgement | null {
  if (!probe.value) return null;
  const value = side === "w" ? probe.value : opposite[probe.value];
  return {
    exact: true,
    white: value === "win" ? 1 : value === "loss" ? 0 : 0.5,
    get text() {
      return t("explore.verdict", { side: t(`side.${side}`), value: valueText(probe.value, probe.plies) });
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
