import { signal } from "@preact/signals";

export const MODES = ["play", "analyse", "explore"] as const;
export type Mode = (typeof MODES)[number];

/** The part after `#`: a mode, and for a shared game its fields. */
export interface Route {
  mode: Mode;
  fields: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [mode, fields] = hash.replace(/^#/, "").split("?", 2);
  return {
    mode: MODES.find((known) => known === mode) ?? "play",
    fields: new URLSearchParams(fields ?? ""),
  };
}

export const route = signal(parseRoute(location.hash));

addEventListener("hashchange", () => (route.value = parseRoute(location.hash)));

/** Shows another part of the page. */
export function go(mode: Mode): void {
  location.hash = mode;
}

/** Takes the fields out of the address, without a new entry in the history. */
export function shorten(mode: Mode): void {
  history.replaceState(null, "", `#${mode}`);
  route.value = parseRoute(location.hash);
}
