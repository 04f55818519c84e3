import { rules } from "../engine/library";
import type { Game } from "millstone-mill";

/** The rule sets whose boards have diagonals or not. */
let known: ReadonlyMap<string, boolean> | null = null;

/** True if the board of a rule set has diagonals. */
export function diagonals(id: string, game?: Game): boolean {
  known ??= new Map(
    rules()
      .ruleSets()
      .map((set) => [set.id, set.diagonals]),
  );
  // A record may bring rules of its own; then the lines of the board tell.
  return known.get(id) ?? (game?.lines().length ?? 16) > 16;
}
