import { signal } from "@preact/signals";
import { openTablebase, type Explorer } from "millstone-mill";
import { builtInTablebase, openedBuiltIn } from "../engine/library";
import { read, write } from "../state/storage";

/** The address of a folder of tablebase files, or null for the built-in one. */
export const folder = signal<string | null>(read("folder", (value) => typeof value === "string"));

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

/** The tablebase in use, if it is open. */
export function openedTablebase(): Explorer | null {
  const url = folder.value;
  if (url === null) return openedBuiltIn();
  return opened?.url === url ? opened.now : null;
}

/** Takes an address as people type it. Returns null if it is none. */
export function folderAddress(text: string): string | null {
  try {
    const url = new URL(text.trim());
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    return url.href.endsWith("/") ? url.href : `${url.href}/`;
  } catch {
    return null;
  }
}

/** Chooses a folder, or the built-in tablebase. */
export function chooseFolder(url: string | null): void {
  folder.value = url;
  write("folder", url);
}
