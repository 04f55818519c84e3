/**
 * Goes through a game with Page Up, Page Down, Home and End. Fields and lists that can be scrolled keep them for
 * themselves.
 */
export function stepKeys(
  event: KeyboardEvent,
  ply: number,
  plies: number,
  onGo: (ply: number) => void,
): void {
  // With another key they belong to the browser.
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) return;
  if (target.matches('[tabindex="0"]:not(button)') && target.scrollHeight > target.clientHeight) return;
  const to = { PageUp: ply - 1, PageDown: ply + 1, Home: 0, End: plies }[event.key];
  if (to === undefined || to < 0 || to > plies) return;
  event.preventDefault();
  if (to !== ply) onGo(to);
}
