import { Engine, load, openTablebase, type Explorer, type Library } from "millstone-mill";
import { signal } from "@preact/signals";
import { Talk } from "./talk";

let library: Library | null = null;
let talk: Talk | null = null;

/** Why the engine's worker does not run, or null. */
export const engineFault = signal<string | null>(null);

/** True while a search waits for the certificate, with which the engine never loses. */
export const awaitsCertificate = signal(false);

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
      awaitsCertificate.value = line === "info string waits for the certificate";
    });
    worker.onError((error) => {
      engineFault.value = error.message;
      awaitsCertificate.value = false;
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
