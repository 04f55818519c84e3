import { signal } from "@preact/signals";
import type { Side } from "millstone-mill";
import { number } from "../i18n";

const index = (side: Side): 0 | 1 => (side === "w" ? 0 : 1);

/** The clocks of both sides, in milliseconds. */
export class Clock {
  readonly left;
  private running: Side | null = null;
  private since = 0;
  private timer = 0;

  constructor(
    left: readonly [number, number],
    private readonly onFlag: (side: Side) => void,
  ) {
    this.left = signal<readonly [number, number]>(left);
  }

  /** Takes off the time that has passed. Returns true if the flag has fallen. */
  private tick(): boolean {
    if (!this.running) return false;
    const now = performance.now();
    const left: [number, number] = [...this.left.value];
    const i = index(this.running);
    left[i] = Math.max(0, left[i] - (now - this.since));
    this.since = now;
    this.left.value = left;
    if (left[i] > 0) return false;
    const side = this.running;
    this.stop();
    this.onFlag(side);
    return true;
  }

  /** Lets the clock of one side run, unless the flag has fallen meanwhile. */
  run(side: Side): void {
    if (this.tick()) return;
    this.running = side;
    this.since = performance.now();
    if (!this.timer) this.timer = window.setInterval(() => this.tick(), 100);
  }

  /** Gives a side time for a turn it has finished, unless the flag has fallen before. */
  add(side: Side, milliseconds: number): void {
    if (this.tick()) return;
    const left: [number, number] = [...this.left.value];
    left[index(side)] += milliseconds;
    this.left.value = left;
  }

  /** Stops until the next `run`, unless the flag has fallen before. */
  pause(): void {
    if (!this.tick()) this.stop();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.running = null;
  }
}

/** The time left as people read it: minutes and seconds, tenths in the last ten seconds. */
export function clockText(milliseconds: number): string {
  if (milliseconds < 10_000) return number(Math.ceil(milliseconds / 100) / 10, 1);
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
