import { expect, live, men, pointsWith, status } from "./page";
import type { Page } from "@playwright/test";

/** How a test chooses a point: with the pointer or with keys. */
export type Press = (point: string) => Promise<void>;

/**
 * Plays on until the game is over. The man that is moved and the point it goes to change from turn to turn,
 * so that the game does not go in a circle. Returns the text of the result.
 */
export async function playToTheEnd(page: Page, press: Press): Promise<string> {
  for (let turn = 0; turn < 400; turn++) {
    await page.waitForFunction(
      () => !/thinking/.test(document.querySelector('[data-testid="status"]')!.textContent!),
      null,
      { polling: 30, timeout: 30_000 },
    );
    if (await over(page)) return (await status(page).textContent())!;
    const before = JSON.stringify(await men(page));
    await one(page, press, turn);
    await expect
      .poll(async () => JSON.stringify(await men(page)) !== before || (await over(page)), {
        timeout: 15_000,
        intervals: [30],
      })
      .toBe(true);
    await expect(live(page)).toContainText(/(White|Black) (places|moves|takes)|wins|Draw/);
  }
  throw new Error("the game has not ended after 400 moves");
}

const over = (page: Page): Promise<boolean> =>
  status(page).evaluate((element) => element.classList.contains("over"));

async function one(page: Page, press: Press, turn: number): Promise<void> {
  const [takable] = await pointsWith(page, "can be taken");
  if (takable) return press(takable);
  const placings = await pointsWith(page, "can be chosen");
  if (placings.length > 0) return press(placings[(turn * 7) % placings.length]!);
  const own = await pointsWith(page, "white man");
  for (let i = 0; i < own.length; i++) {
    const man = own[(turn + i) % own.length]!;
    await press(man);
    const goals = await pointsWith(page, "can be chosen");
    if (goals.length > 0) return press(goals[(turn * 5) % goals.length]!);
  }
  throw new Error("no man can move although the game goes on");
}
