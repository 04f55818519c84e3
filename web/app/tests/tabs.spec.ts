import type { Page } from "@playwright/test";
import { expect, men, open, point, status, test, weak } from "./support/page";

const stored = (page: Page, key: string): Promise<{ game: { moves: string[] }; moves: string[]; left: number[] }> =>
  page.evaluate((name) => JSON.parse(localStorage.getItem(`millstone.${name}`)!), key);

test("two tabs play one game, and none of them loses moves of the other", async ({ page, context }) => {
  await open(page, "#play", { settings: { ...weak.settings, clock: [10, 0] } });
  const move = async (tab: Page) => {
    const free = Object.entries(await men(tab)).filter(([, man]) => man === "empty");
    // Corners of different rings: none of them closes a mill.
    const [name] = free.find(([point]) => ["a1", "b6", "e3", "g7", "f2"].includes(point))!;
    await point(tab, name).click();
    await expect(status(tab)).toHaveText(/Your turn/);
  };
  await move(page);
  const second = await context.newPage();
  await open(second, "#play");
  expect(await men(second)).toEqual(await men(page));
  await move(page);
  // The other tab follows, and has nothing of its own to keep.
  await expect.poll(() => men(second)).toEqual(await men(page));
  const before = await stored(page, "play");
  expect(before.game.moves).toHaveLength(4);
  await second.reload();
  await expect(point(second, "d6")).toBeVisible();
  expect((await stored(page, "play")).game.moves).toEqual(before.game.moves);
  await move(second);
  await expect.poll(() => men(page)).toEqual(await men(second));
  await page.reload();
  await expect(point(page, "d6")).toBeVisible();
  expect((await stored(page, "play")).game.moves).toHaveLength(6);
  await move(page);
  expect((await stored(page, "play")).game.moves.slice(0, 4)).toEqual(before.game.moves);
});
