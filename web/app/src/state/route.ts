import { computed, signal } from "@preact/signals";
import { isObject } from "./storage";

export const MODES = ["play", "analyse", "explore"] as const;
export type Mode = (typeof MODES)[number];

/** The part after `#`: a mode, and for a shared game its fields. */
export interface Route {
  mode: Mode;
  fields: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#/, "");
  // Further question marks belong to the fields: records have them as marks of moves.
  const end = text.includes("?") ? text.indexOf("?") : text.length;
  return {
    mode: MODES.find((known) => known === text.slice(0, end)) ?? "play",
    fields: new URLSearchParams(text.slice(end + 1)),
  };
}

export const route = signal(parseRoute(location.hash));

/** The part of the page that is shown. A shared game does not change it. */
export const mode = computed(() => route.value.mode);

/**
 * Calls a listener for every new address: at once where browsers tell it, which may be 10 ms before the
 * event.
 */
export function onAddress(listener: () => void): void {
  if ("navigation" in window)
    (window.navigation as EventTarget).addEventListener("currententrychange", listener);
  else addEventListener("hashchange", listener);
}

const follow = () => (route.value = parseRoute(location.hash));
onAddress(follow);

/** Shows another part of the page, without waiting for the browser to tell of the address. */
export function go(to: Mode): void {
  location.hash = to;
  follow();
}

/** Takes the fields out of the address, and notes the link in the history, without a new entry in it. */
export function shorten(to: Mode, link: string): void {
  history.replaceState({ link }, "", `#${to}`);
  route.value = parseRoute(location.hash);
}

/** The link that an entry of the history is noted with; null if it is a new entry. */
export function noted(): string | null {
  const state: unknown = history.state;
  return isObject(state) && typeof state["link"] === "string" ? state["link"] : null;
}
