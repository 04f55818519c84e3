import { signal } from "@preact/signals";

/** Two places take turns, because a reader says a text only if it differs from the one before. */
const texts = signal<[string, string]>(["", ""]);
let turn = 0;

/** Tells screen readers something, without moving the focus. */
export function announce(text: string): void {
  turn = 1 - turn;
  texts.value = turn === 0 ? [text, ""] : ["", text];
}

/** The part of the page that screen readers listen to. */
export const Live = () => (
  <div class="unseen" role="status" aria-live="polite" data-testid="live">
    <p>{texts.value[0]}</p>
    <p>{texts.value[1]}</p>
  </div>
);
