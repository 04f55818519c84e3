import { computed, signal } from "@preact/signals";
import { en, type Key, type Messages } from "./en";

/** The languages of this page. A new one needs its file and one line here. */
export const LANGUAGES = {
  en: { name: "English", load: async (): Promise<Messages> => en },
  de: { name: "Deutsch", load: async (): Promise<Messages> => (await import("./de")).de },
} as const;

export type Language = keyof typeof LANGUAGES;

/** The texts in use, with their language. */
const current = signal<{ language: Language; messages: Messages }>({ language: "en", messages: en });
const plural = computed(() => new Intl.PluralRules(current.value.language));

export const language = computed(() => current.value.language);

/** The first language of the browser that this page speaks. */
export function preferred(wanted: readonly string[]): Language {
  const known = wanted
    .map((tag) => tag.slice(0, 2).toLowerCase())
    .find((tag) => Object.hasOwn(LANGUAGES, tag));
  return (known as Language | undefined) ?? "en";
}

let latest: Language = "en";

/** Loads a language and shows the page in it. The page stays as it is if its texts cannot be had. */
export async function speak(to: Language): Promise<void> {
  latest = to;
  const messages = await LANGUAGES[to].load().catch(() => null);
  // A later choice counts, even if its texts came first.
  if (!messages || latest !== to) return;
  current.value = { language: to, messages };
  document.documentElement.lang = to;
}

/** True if the page has a text with this key. */
export const has = (key: string): key is Key => Object.hasOwn(en, key);

/** Returns a text in the language in use, with the values put in the places of their names. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const message: string | Partial<Record<Intl.LDMLPluralRule, string>> = current.value.messages[key];
  const text =
    typeof message === "string"
      ? message
      : (message[plural.value.select(Number(values["n"] ?? 0))] ?? message.other ?? "");
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/**
 * Makes what writes numbers and plurals, before the first answer needs it: to make the first takes up to 20
 * ms.
 */
export function prepareNumbers(): void {
  for (const digits of [0, 1]) number(0, digits);
  void plural.value;
}

/** Writers of numbers, by language and digits: to make one takes longer than to use it. */
const formats = new Map<string, Intl.NumberFormat>();

/** A number as people of this language write it. */
export function number(n: number, digits = 0): string {
  const key = `${language.value} ${digits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language.value, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  return format.format(n);
}
