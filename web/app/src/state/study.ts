import { computed, effect, signal } from "@preact/signals";
import type { Game } from "millstone-mill";
import { rules } from "../engine/library";
import { Desk, isStored, restore, type Stored } from "./desk";
import { usualStart } from "./share";
import { read, write } from "./storage";

let desk: Desk | null = null;
/** The number of the change that a link has made: after another one the game is the reader's own. */
let linked = -1;

/** The reader's game of which a link took the place, or null. It is kept wherever the study is kept. */
const earlier = signal<Stored | null>(null);

/** True if the game of which a link took the place is more than the start of a game. */
export const hasEarlier = computed(() => {
  const own = earlier.value;
  return own !== null && (own.moves.length > 0 || own.start !== usualStart(own.rules));
});

const isPly = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isLinked = (value: unknown): value is boolean => value === true;

/** True if two games are equal but for the position that is shown. */
const isSame = (a: Stored, b: Stored | null): boolean =>
  b !== null && JSON.stringify({ ...a, ply: 0 }) === JSON.stringify({ ...b, ply: 0 });

/** Sets up a stored game. Null if there is none, or if an older version of the page has stored it otherwise. */
function restored(stored: Stored | null): Game | null {
  try {
    return stored && restore(rules(), stored);
  } catch {
    return null;
  }
}

/**
 * The game that is analysed and explored. Each tab keeps its own over reloads; a new tab begins with the one
 * that was changed last in any tab.
 */
export function study(): Desk {
  if (desk) return desk;
  const own = read("study", isStored, "sessionStorage");
  const game = restored(own ?? read("study", isStored));
  const ply = own && read("ply", isPly, "sessionStorage");
  if (ply !== null) game?.goto(Math.min(ply, game.plies()));
  const before = read("earlier", isStored, own ? "sessionStorage" : "localStorage");
  earlier.value = restored(before) && before;
  const made = new Desk(game ?? rules().newGame("nine"));
  desk = made;
  if (own && read("linked", isLinked, "sessionStorage")) linked = 0;
  let kept = own ? 0 : -1;
  let isFirst = true;
  effect(() => {
    const { ply } = made.view.value;
    if (isFirst) return void (isFirst = false);
    write("ply", ply, "sessionStorage");
    if (made.changes === kept) return;
    kept = made.changes;
    const stored = made.store();
    write("study", stored, "sessionStorage");
    write("earlier", earlier.peek(), "sessionStorage");
    write("linked", kept === linked || null, "sessionStorage");
    // A game that was only looked at is not the one that the next visit goes on with.
    if (kept === 0 || kept === linked) return;
    write("study", stored);
    write("earlier", earlier.peek());
  });
  return made;
}

/** True if the game is that of a link, and the reader has not changed it. */
export const isOfLink = (): boolean => study().changes === linked;

/** Shows the game of a link. The reader's own is kept. */
export function showLinked(game: Game): void {
  const desk = study();
  if (!isOfLink()) earlier.value = desk.store();
  linked = desk.changes + 1;
  desk.replace(game);
}

/** Forgets the game of which a link took the place. */
export function forgetEarlier(): void {
  earlier.value = null;
  write("earlier", null, "sessionStorage");
  // Another tab may have kept a study since.
  if (isSame(study().store(), read("study", isStored))) write("earlier", null);
}

/** Shows the game again of which a link took the place. */
export function showEarlier(): void {
  const own = earlier.value;
  earlier.value = null;
  try {
    if (own) study().replace(restore(rules(), own));
  } finally {
    forgetEarlier();
  }
}
