import { signal } from "@preact/signals";

/** True once the rules are loaded. */
export const ready = signal(false);

/** Why they could not be loaded, or null. */
export const failure = signal<string | null>(null);
