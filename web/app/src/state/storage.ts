/** Values kept in the browser between visits. Storage may be full or forbidden: the page then works without. */
const PREFIX = "millstone.";

/** Reads a stored value. Anything that is not of the expected form counts as not stored. */
export function read<T>(key: string, valid: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null");
    return valid(value) ? value : null;
  } catch {
    return null;
  }
}

/** Stores a value, or removes it if it is null. */
export function write(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Private windows of some browsers refuse; nothing is lost but the memory of this visit.
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
