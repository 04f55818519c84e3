import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Puts the focus on the board, after a job that takes away what has it. Screen readers and the keyboard would
 * start again at the top of the page otherwise.
 */
export function focusBoard(job: () => void = () => {}): void {
  job();
  document.querySelector<HTMLElement>('.point[tabindex="0"]')?.focus();
}

/** Puts the focus on the panel of a button that goes away. */
export const focusPanel = (event: Event): void =>
  (event.currentTarget as HTMLElement).closest<HTMLElement>("section")?.focus();

/**
 * Leads the keyboard on from a list that every move replaces: to the panel at once, and to the first entry of
 * the next list when it is there.
 */
export function useOnward(entry: string) {
  const panel = useRef<HTMLElement>(null);
  const isWanted = useRef(false);
  useLayoutEffect(() => {
    if (!isWanted.current || document.activeElement !== panel.current) return;
    const first = panel.current?.querySelector<HTMLElement>(entry);
    if (!first) return;
    isWanted.current = false;
    first.focus();
  });
  /** To be called with the click that chooses an entry. A click by the mouse needs nothing. */
  const leave = (event: MouseEvent) => {
    if (event.detail > 0) return;
    isWanted.current = true;
    panel.current?.focus();
  };
  return { panel, leave };
}
