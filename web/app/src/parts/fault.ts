import { has, t } from "../i18n";

/** An error as the page shows it: a sentence in the reader's language, and the detail as the library says it. */
export interface Fault {
  text: string;
  detail: string;
}

/** Puts an error of the library in the reader's language, as far as its code tells. */
export function faultOf(error: unknown): Fault {
  const detail = error instanceof Error ? error.message : String(error);
  const { code, file } = (error ?? {}) as { code?: string; file?: string };
  const key = `fault.${code}`;
  return has(key) ? { text: t(key, { file: file ?? "?" }), detail } : { text: detail, detail: "" };
}
