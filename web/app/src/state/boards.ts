import { rules } from "../engine/library";
import type { Game } from "millstone-mill";

/** True if the board of a rule set has diagonals. */
export function diagonals(id: string, game?: Game): boolean {
  const set = rules()
    .ruleSets()
    .find((known) => known.id === id);
  // A record may bring rules of its own; then the lines of the board tell.
  return set?.diagonals ?? (game?.lines().length ?? 16) > 16;
}
