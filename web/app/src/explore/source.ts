import { signal } from "@preact/signals";
import { openTablebase, type Explorer } from "millstone-mill";
import { builtInTablebase, openedBuiltIn } from "../engine/library";
import { t } from "../i18n";
import { read, write } from "../state/storage";

/** The address of a folder of tablebase files, or null for the built-in one. */
export const folder = signal<string | null>(
  read("folder", (value): value is string => typeof value === "string" && folderAddress(value).url !== null),
);

/** The last folder that was opened; `now` is null as long as it is opening. */
let opened: { url: string; explorer: Promise<Explorer>; now: Explorer | null } | null = null;

/** The tablebase in use. A folder that could not be opened is tried again next time. */
export function tablebase(): Promise<Explorer> {
  const url = folder.value;
  if (url === null) return builtInTablebase();
  if (opened?.url !== url) {
    void opened?.explorer.then((old) => old.close()).catch(() => {});
    const explorer = openTablebase(url);
    const entry = { url, explorer, now: null as Explorer | null };
    opened = entry;
    explorer.then(
      (now) => (entry.now = now),
      () => {
        if (opened === entry) opened = null;
      },
    );
  }
  return opened!.explorer;
}

/** Opens the folder in use, if there is one, before the first position is looked up. */
export function prepareFolder(): void {
  // A fault is shown when a position is looked up.
  if (folder.value !== null) tablebase().catch(() => {});
}

/** The tablebase in use, if it is open. */
export function openedTablebase(): Explorer | null {
  const url = folder.value;
  if (url === null) return openedBuiltIn();
  return opened?.url === url ? opened.now : null;
}

/** Reads an address as people type it. If it is none that this page can use, `fault` says why. */
export function folderAddress(text: string): { url: string; fault: null } | { url: null; fault: string } {
  const found = shortened(text.trim());
  const refuse = (key: "explore.badUrl" | "explore.badRest" | "explore.blocked", part = found) => ({
    url: null,
    fault: t(key, { found: part }),
  });
  let url;
  try {
    url = new URL(text.trim());
  } catch {
    return refuse("explore.badUrl");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return refuse("explore.badUrl");
  // A password is not shown.
  const user = url.username || (url.password && ":…");
  const rest = url.search || url.hash || (user && `${user}@`);
  if (rest) return refuse("explore.badRest", shortened(rest));
  // What the Content-Security-Policy in index.html lets through.
  const isAllowed =
    url.protocol === "https:" ||
    url.origin === location.origin ||
    ["localhost", "127.0.0.1"].includes(url.hostname);
  if (!isAllowed) return refuse("explore.blocked", shortened(url.origin));
  return { url: url.href.endsWith("/") ? url.href : `${url.href}/`, fault: null };
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Chooses a folder, or the built-in tablebase. */
export function chooseFolder(url: string | null): void {
  folder.value = url;
  write("folder", url);
}
