import { has, number, t } from "../i18n";

/**
 * An error as the page shows it: a sentence in the reader's language, and the detail as the library says it.
 */
export interface Fault {
  text: string;
  detail: string;
}

/** True if the same question can have another answer later. */
export const mayPass = (error: unknown): boolean =>
  !["unsupported-rules", "no-value"].includes((error as { code?: string } | null)?.code ?? "");

/** A text that is refused for its size in characters or bytes. */
export class TooLarge extends Error {
  constructor(
    readonly size: number,
    readonly most: number,
  ) {
    super(`found ${size} characters, expected at most ${most}`);
  }
}

/** A link to a game in a part of the page that shows no games of links. */
export class WrongPart extends Error {}

/**
 * Puts an error of the library in the reader's language, as far as its code tells. To be called when the
 * error is shown: the language may change, and at first it may not be loaded.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof TooLarge) {
    const values = { size: number(Math.ceil(error.size / 1000)), most: number(error.most / 1000) };
    return { text: t("analyse.tooLarge", values), detail: "" };
  }
  if (error instanceof WrongPart) return { text: t("link.wrongPart"), detail: "" };
  const detail = error instanceof Error ? error.message : String(error);
  const { code, file } = (error ?? {}) as { code?: string; file?: string };
  const key = `fault.${code}`;
  return has(key) ? { text: t(key, { file: file ?? "?" }), detail } : { text: detail, detail: "" };
}
