/** Does work in a moment when nothing else is to be done. Safari does not know such moments. */
export function later(job: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(job, { timeout: 2000 });
  else setTimeout(job, 200);
}
