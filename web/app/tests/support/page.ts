import { test as base, expect, type Page } from "@playwright/test";

/** Every test fails on an error in the console, an uncaught exception or a breach of the security policy. */
export const test = base.extend<{ faults: string[] }>({
  faults: [
    async ({ page }, use) => {
      const faults: string[] = [];
      watch(page, faults);
      await use(faults);
      expect(faults, "the console").toEqual([]);
    },
    { auto: true },
  ],
});

/** Collects what a page complains about. */
export function watch(page: Page, faults: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

/** The browser reports requests that a test makes fail; the page can do nothing about that. */
export function forgetFailedRequests(faults: string[]): void {
  expect(faults.filter((fault) => !/^console: Failed to load resource/.test(fault))).toEqual([]);
  faults.length = 0;
}

export { expect };

export const board = (page: Page) => page.getByRole("group", { name: /^(Board|Brett)$/ });
export const point = (page: Page, name: string) => page.locator(`[data-point="${name}"]`);
export const status = (page: Page) => page.getByTestId("status");
export const live = (page: Page) => page.getByTestId("live");

/** Opens a part of the page, with settings of an earlier visit. */
export async function open(
  page: Page,
  address = "#play",
  stored: Record<string, unknown> = {},
): Promise<void> {
  if (Object.keys(stored).length > 0) {
    await page.addInitScript((values) => {
      for (const [key, value] of Object.entries(values))
        if (localStorage.getItem(`millstone.${key}`) === null)
          localStorage.setItem(`millstone.${key}`, JSON.stringify(value));
    }, stored);
  }
  await page.goto(address);
  await expect(board(page)).toBeVisible({ timeout: 30_000 });
}

/** The board as 24 words, read from what screen readers are told. */
export async function men(page: Page): Promise<Record<string, string>> {
  const entries = await page
    .locator("[data-point]")
    .evaluateAll((buttons) =>
      buttons.map((button) => [
        (button as HTMLElement).dataset["point"]!,
        button.getAttribute("aria-label")!.split(", ")[1]!,
      ]),
    );
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The points whose description holds a text. */
export const pointsWith = (page: Page, text: string): Promise<string[]> =>
  page
    .locator("[data-point]")
    .evaluateAll(
      (buttons, wanted) =>
        buttons
          .filter((button) => button.getAttribute("aria-label")!.includes(wanted))
          .map((button) => (button as HTMLElement).dataset["point"]!),
      text,
    );

/** An engine that answers at once. */
export const weak = {
  settings: { rules: "nine", colour: "w", by: "level", level: 0, elo: 516, clock: null },
};

/** One that soon beats a player without a plan. */
export const firm = { settings: { ...weak.settings, level: 24 } };

/**
 * Makes the engine break down at its next searches. `failures` in the session storage is the number still to
 * come.
 */
export async function breakDown(page: Page, times: number): Promise<void> {
  await page.addInitScript((first) => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      post.call(this, message);
      const left = Number(sessionStorage.getItem("failures") ?? first);
      if (!String(message).startsWith("go ") || left === 0) return;
      sessionStorage.setItem("failures", String(left - 1));
      setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { message: "broken by the test" })));
    };
  }, times);
}

/** Makes the engine answer every question with the same lines, and search no further. */
export async function answerWith(page: Page, lines: readonly string[]): Promise<void> {
  await page.addInitScript((said) => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      const isGo = String(message).startsWith("go ");
      if (!isGo && message !== "stop") return post.call(this, message);
      const lines = isGo ? said : ["bestmove a1"];
      setTimeout(() => lines.forEach((data) => this.dispatchEvent(new MessageEvent("message", { data }))));
    };
  }, lines);
}

/** Notes every line to and from the engine. */
export async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const lines: string[] = [];
    Object.assign(window, { engineLines: lines });
    const known = new WeakSet<Worker>();
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      if (!known.has(this)) this.addEventListener("message", (event) => lines.push(`< ${event.data}`));
      known.add(this);
      lines.push(`> ${message}`);
      post.call(this, message);
    };
  });
}

/** Waits for the answer to the last question, and takes the lines since the time before. */
export async function talk(page: Page): Promise<string[]> {
  const ends = () =>
    page.evaluate(() => (window as unknown as { engineLines: string[] }).engineLines.at(-1) ?? "");
  await expect.poll(ends, { timeout: 20_000 }).toMatch(/^< bestmove/);
  return page.evaluate(() => (window as unknown as { engineLines: string[] }).engineLines.splice(0));
}
