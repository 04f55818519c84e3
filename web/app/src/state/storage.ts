/**
 * Values kept in the browser between visits. Storage may be full or forbidden: the page then works without.
 */
const PREFIX = "millstone.";

/** Where a value is kept: for all tabs and visits, or for this tab and its reloads alone. */
type Where = "localStorage" | "sessionStorage";

/** Reads a stored value. Anything that is not of the expected form counts as not stored. */
export function read<T>(
  key: string,
  valid: (value: unknown) => value is T,
  where: Where = "localStorage",
): T | null {
  try {
    const value: unknown = JSON.parse(window[where].getItem(PREFIX + key) ?? "null");
    return valid(value) ? value : null;
  } catch {
    return null;
  }
}

/** Stores a value, or removes it if it is null. */
export function write(key: string, value: unknown, where: Where = "localStorage"): void {
  try {
    if (value === null) window[where].removeItem(PREFIX + key);
    else window[where].setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Private windows of some browsers refuse; nothing is lost but the memory of this visit.
  }
}

/** Calls a listener when another tab has stored a value for all. */
export function onStored(key: string, listener: () => void): void {
  addEventListener("storage", (event) => {
    if (event.key === PREFIX + key && event.newValue !== null) listener();
  });
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
