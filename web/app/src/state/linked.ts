import { effect, signal } from "@preact/signals";
import { rules } from "../engine/library";
import { TooLarge, WrongPart } from "../parts/fault";
import { mode, route, shorten } from "./route";
import { MOST, holdsGame, openLink } from "./share";
import { showLinked, study } from "./study";

/** Why the game of a link cannot be shown, or null. */
export const linkFault = signal<{ error: unknown } | null>(null);

/** Ends the message about a bad link once the reader goes on. */
export function watchLinkFault(): void {
  effect(() => {
    void study().view.value;
    void mode.value;
    linkFault.value = null;
  });
}

/**
 * Shows the game of the address, if it holds one. The address is short again afterwards, so that a reload keeps
 * what was done with the game.
 */
export function followLink(): void {
  const { mode, fields } = route.value;
  if (!holdsGame(fields)) return;
  try {
    if (mode === "play") throw new WrongPart();
    const size = [...fields.values()].reduce((sum, text) => sum + text.length, 0);
    if (size > MOST) throw new TooLarge(size, MOST);
    showLinked(openLink(rules(), fields));
    linkFault.value = null;
  } catch (error) {
    linkFault.value = { error };
  }
  // Once the position is there: a new address keeps the browser busy for some time.
  const { hash } = location;
  setTimeout(() => {
    if (location.hash === hash) shorten(mode);
  }, 300);
}
