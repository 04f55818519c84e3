import { batch, effect, signal } from "@preact/signals";
import { LANGUAGES, preferred, speak, type Language } from "../i18n";
import { isObject, onStored, read, write } from "./storage";

export type Theme = "auto" | "light" | "dark";
interface Prefs {
  theme: Theme;
  language: Language;
}

const isPrefs = (value: unknown): value is Prefs =>
  isObject(value) &&
  ["auto", "light", "dark"].includes(value["theme"] as string) &&
  Object.hasOwn(LANGUAGES, value["language"] as string);

const stored = read("prefs", isPrefs);

export const theme = signal<Theme>(stored?.theme ?? "auto");
export const chosenLanguage = signal<Language>(stored?.language ?? preferred(navigator.languages));

/** The colours of the browser's own bars, as in index.html. */
const BARS = { light: "#efe8dc", dark: "#1b1917" };

/** Colours the bars of the browser: each of the two elements holds for one choice of the system. */
function colourBars(): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const system = meta.media.includes("dark") ? "dark" : "light";
    meta.content = BARS[theme.value === "auto" ? system : theme.value];
  }
}

/**
 * Applies and stores the choices whenever they change, in another tab too. Returns when the first language is
 * loaded.
 */
export function applyPrefs(): Promise<void> {
  onStored("prefs", () => {
    const chosen = read("prefs", isPrefs);
    if (!chosen) return;
    // Together, so that nothing is stored in between.
    batch(() => {
      theme.value = chosen.theme;
      chosenLanguage.value = chosen.language;
    });
  });
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    colourBars();
    write("prefs", { theme: theme.value, language: chosenLanguage.value });
  });
  let first = Promise.resolve();
  effect(() => {
    first = speak(chosenLanguage.value);
  });
  return first;
}
