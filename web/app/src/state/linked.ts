import { signal } from "@preact/signals";
import { rules } from "../engine/library";
import { number, t } from "../i18n";
import { route, shorten } from "./route";
import { openLink } from "./share";
import { study } from "./study";

/** The most characters that are read of a link. A game has a few thousand. */
const MOST = 100_000;

/** Why the game of a link cannot be shown, or null. */
export const linkFault = signal<string | null>(null);

/** Shows the game of the address, if it holds one. The address is short again afterwards, so that a reload keeps
 *  what was done with the game. */
export function followLink(): void {
  const { mode, fields } = route.value;
  try {
    const size = [...fields.values()].reduce((sum, text) => sum + text.length, 0);
    if (size > MOST) {
      const values = { size: number(Math.ceil(size / 1000)), most: number(MOST / 1000) };
      throw new Error(t("analyse.tooLarge", values));
    }
    const game = openLink(rules(), fields);
    if (!game) return;
    study().replace(game);
    linkFault.value = null;
  } catch (error) {
    linkFault.value = error instanceof Error ? error.message : String(error);
  }
  // Once the position is there: a new address keeps the browser busy for some time.
  const { hash } = location;
  setTimeout(() => {
    if (location.hash === hash) shorten(mode);
  }, 300);
}
