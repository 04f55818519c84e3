import type { GameState } from "millstone-mill";
import { POINTS } from "./points";

/** What a click on a point means. */
export type Click =
  { kind: "play"; move: string } | { kind: "choose" } | { kind: "drop" } | { kind: "nothing" };

/** The points that the man on a point can go to. */
export const goals = (legal: readonly string[], from: string): string[] =>
  legal.filter((move) => move.startsWith(`${from}-`)).map((move) => move.slice(3));

/** The men that may be taken now. */
export const takes = (legal: readonly string[]): string[] =>
  legal.filter((move) => move.startsWith("x")).map((move) => move.slice(1));

/** True if the side to move has to take men of its own, as El Filja asks where nobody has a mill. */
export const takesOwn = (legal: readonly string[], { board, side }: GameState): boolean =>
  takes(legal).some((point) => board[POINTS.indexOf(point)] === side);

/** The points where a man may be placed now. */
export const placings = (legal: readonly string[]): string[] => legal.filter((move) => move.length === 2);

/** Decides what a click on a point means, with another point chosen before or none. A chosen man is meant. */
export function click(legal: readonly string[], chosen: string | null, point: string): Click {
  for (const move of [`x${point}`, chosen ? `${chosen}-${point}` : point])
    if (legal.includes(move)) return { kind: "play", move };
  if (chosen === point) return { kind: "drop" };
  if (goals(legal, point).length > 0) return { kind: "choose" };
  return chosen ? { kind: "drop" } : { kind: "nothing" };
}
