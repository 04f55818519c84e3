/**
 * Puts the focus on the board, after a job that takes away what has it. Screen readers and the keyboard would start
 * again at the top of the page otherwise.
 */
export function focusBoard(job: () => void = () => {}): void {
  job();
  document.querySelector<HTMLElement>('.point[tabindex="0"]')?.focus();
}
