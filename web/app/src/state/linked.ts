import { effect, signal } from "@preact/signals";
import { rules } from "../engine/library";
import { TooLarge, WrongPart } from "../parts/fault";
import { tellPosition } from "../parts/told";
import { ready } from "./ready";
import { mode, noted, parseRoute, route, shorten } from "./route";
import { MOST, holdsGame, openLink } from "./share";
import { isOfLink, showEarlier, showLinked, study } from "./study";

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

/** The link whose game was shown last; empty for the reader's own game. */
let current = "";

/**
 * Shows the game of the address, if it holds one. The address is short again afterwards, so that a reload keeps
 * what was done with the game.
 */
export function followLink(): void {
  const { mode, fields } = route.value;
  if (!holdsGame(fields)) return;
  const { hash } = location;
  open(hash);
  // Once the position is there: a new address keeps the browser busy for some time.
  setTimeout(() => {
    if (location.hash === hash) shorten(mode, current);
  }, 300);
}

/** Tells of the position, if it is in sight. A page that is just being opened is read from its start. */
function tell(): void {
  if (ready.value && mode.value !== "play") tellPosition(study());
}

function open(link: string): void {
  const { mode, fields } = parseRoute(link);
  try {
    if (mode === "play") throw new WrongPart();
    const size = [...fields.values()].reduce((sum, text) => sum + text.length, 0);
    if (size > MOST) throw new TooLarge(size, MOST);
    showLinked(openLink(rules(), fields));
    tell();
    current = link;
    linkFault.value = null;
  } catch (error) {
    linkFault.value = { error };
  }
}

/** Shows the reader's own game again, of which a link took the place. */
export function leaveLink(): void {
  showOwn();
  current = "";
  shorten(mode.value, current);
}

/** The same without the address, which Back has changed already. */
function showOwn(): void {
  showEarlier();
  tell();
}

/**
 * Lets Back and Forward go from the game of a link to the reader's own, and to the link again. A game of a link
 * that the reader has changed is the reader's own.
 */
export function watchHistory(): void {
  current = noted() ?? current;
  const follow = (): void => {
    // Browsers that tell a new address by `hashchange` alone send `popstate` before it.
    route.value = parseRoute(location.hash);
    if (holdsGame(route.value.fields)) return;
    const link = noted();
    if (link === null) return shorten(mode.value, current);
    if (link === current) return;
    if (link !== "") return open(link);
    current = "";
    if (isOfLink()) showOwn();
  };
  follow();
  // Not all browsers have both events for an entry with a new part after the #.
  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);
}
