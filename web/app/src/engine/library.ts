import { Engine, load, openTablebase, type Explorer, type Library } from "millstone-mill";
import { signal } from "@preact/signals";
import { Talk } from "./talk";

let library: Library | null = null;
let talk: Talk | null = null;

/** Why the engine's worker does not run, or null. */
export const engineFault = signal<string | null>(null);

/** The file that a search waits for: the certificate, with which the engine never loses, or a network. */
export const awaited = signal<"certificate" | "network" | null>(null);

/** Loads the rules. Everything else on the page waits for this. */
export async function loadLibrary(): Promise<void> {
  library = await load();
}

/** The rules. Only called below the component that waits for them. */
export function rules(): Library {
  if (!library) throw new Error("the library is not loaded");
  return library;
}

/** The engine, one worker for all parts of the page; started when it is first asked. */
export function engine(): Talk {
  if (!talk) {
    const worker = new Engine();
    const made = new Talk(worker);
    talk = made;
    worker.onLine((line) => {
      engineFault.value = null;
      const file = /^info string waits for the (certificate|network)/.exec(line)?.[1];
      awaited.value = (file as "certificate" | "network" | undefined) ?? null;
    });
    worker.onError((error) => {
      engineFault.value = error.message;
      awaited.value = null;
      worker.terminate();
      made.end();
      if (talk === made) talk = null;
    });
  }
  return talk;
}

let builtIn: Promise<Explorer> | null = null;
let opened: Explorer | null = null;

/** The tablebase that comes with the page. A failed attempt is not kept, so that the next one tries again. */
export function builtInTablebase(): Promise<Explorer> {
  builtIn ??= openTablebase(null).then(
    (explorer) => (opened = explorer),
    (error: unknown) => {
      builtIn = null;
      throw error;
    },
  );
  return builtIn;
}

/** The tablebase that comes with the page, if it is open. */
export const openedBuiltIn = (): Explorer | null => opened;
