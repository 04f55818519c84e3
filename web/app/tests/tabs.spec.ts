import type { Page } from "@playwright/test";
import { expect, live, men, open, point, status, test, weak } from "./support/page";

const stored = (
  page: Page,
  key: string,
): Promise<{ game: { moves: string[] }; moves: string[]; left: number[] }> =>
  page.evaluate((name) => JSON.parse(localStorage.getItem(`millstone.${name}`)!), key);

const moves = (page: Page) => page.getByRole("list", { name: "Moves of the game" });

test(
  "two tabs play one game, and none of them loses moves of the other",
  { tag: "@long" },
  async ({ page, context }) => {
    // In these tests each tab has the focus, which only one has in a browser: the game would run in both.
    await context.addInitScript(() => (document.hasFocus = () => false));
    await open(page, "#play", { settings: { ...weak.settings, clock: [10, 0] } });
    const move = async (tab: Page) => {
      const free = Object.entries(await men(tab)).filter(([, man]) => man === "empty");
      // No two of these corners share a line, so no other point closes a mill with them either.
      const corners = ["a1", "b6", "c5", "e3", "f2", "g7"];
      const [name] = free.find(([point]) => corners.includes(point)) ?? free[0]!;
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
  },
);

test("the clock runs in the tab of the reader after another tab has stored the game", async ({
  page,
  context,
}) => {
  await open(page, "#play", { settings: { ...weak.settings, clock: [10, 0] } });
  const clock = page.getByTestId("clock-w");
  const second = await context.newPage();
  await second.goto("manifest.webmanifest");
  // As the other tab does when it is hidden.
  const store = (minutes: number) =>
    second.evaluate((time) => {
      const saved = JSON.parse(localStorage.getItem("millstone.play")!);
      localStorage.setItem("millstone.play", JSON.stringify({ ...saved, left: [time, time] }));
    }, minutes * 60_000);
  await store(8);
  await expect(clock).toHaveText(/^7:\d\d$/);
  // A tab that the reader is not at waits.
  await page.evaluate(() => (document.hasFocus = () => false));
  await store(5);
  await expect(clock).toHaveText("5:00");
  await page.waitForTimeout(1_500);
  await expect(clock).toHaveText("5:00");
  await page.keyboard.press("Shift");
  await expect(clock).toHaveText(/^4:\d\d$/);
});

test("a tab goes on if another one stores a game that it cannot read", async ({ page, context }) => {
  await open(page, "#play", weak);
  const second = await context.newPage();
  await second.goto("manifest.webmanifest");
  await second.evaluate(() => localStorage.setItem("millstone.play", '{"of": "another version"}'));
  await point(page, "d6").click();
  await expect(status(page)).toHaveText(/Your turn/);
  expect((await men(page))["d6"]).toBe("white man");
});

test(
  "each tab keeps its own analysis, and a new one begins with the latest",
  { tag: "@long" },
  async ({ page, context }) => {
    await open(page, "#analyse");
    await page.getByLabel("Analysis on").uncheck();
    for (const name of ["d6", "f4"]) await point(page, name).click();
    const second = await context.newPage();
    await open(second, "#analyse");
    await second.getByLabel("Analysis on").uncheck();
    for (const name of ["d2", "b4"]) await point(second, name).click();
    // To look at another position is no change.
    await page.getByRole("button", { name: "To the start" }).click();
    await page.reload();
    await expect(moves(page)).not.toContainText("d2");
    expect((await men(page))["d6"]).toBe("empty");
    await second.reload();
    await expect(moves(second)).toContainText("b4");
    const third = await context.newPage();
    await open(third, "#analyse");
    await expect(moves(third)).toContainText("b4");
  },
);

test("a link keeps the reader's own game", async ({ page, context }) => {
  await open(page, "#analyse");
  await page.getByLabel("Analysis on").uncheck();
  for (const name of ["d6", "f4"]) await point(page, name).click();
  // Only two parts show games of links; the others say so, and nothing else happens.
  for (const address of ["#play?moves=a1", "#foo?rules=nine&moves=a1"]) {
    await page.evaluate((hash) => (location.hash = hash), address);
    await expect(page.getByTestId("bad-link")).toContainText("begin with #analyse or #explore");
    await expect(page.locator('.modes a[href="#play"]')).toHaveAttribute("aria-current", "page");
    await page.locator('.modes a[href="#analyse"]').click();
    await expect(page.getByTestId("bad-link")).toHaveCount(0);
    await expect(moves(page)).toContainText("f4");
  }
  const show = (address: string) => page.evaluate((hash) => (location.hash = hash), address);
  await show("#explore?rules=nine&moves=a1");
  await expect(moves(page)).not.toContainText("f4");
  await show("#analyse?rules=nine&moves=a4");
  await expect(moves(page)).toContainText("a4");
  // A visit goes on with the game that the reader has made.
  const second = await context.newPage();
  await open(second, "#analyse");
  await expect(moves(second)).toContainText("f4");
  await expect(second.getByTestId("earlier")).toHaveCount(0);
  // No link took the place of what is made of it there.
  await second.getByLabel("Analysis on").uncheck();
  await point(second, "d2").click();
  await second.reload();
  await expect(moves(second)).toContainText("d2");
  await expect(second.getByTestId("earlier")).toHaveCount(0);
  // A link in another tab keeps the game of that tab, not of this one.
  await second.evaluate((hash) => (location.hash = hash), "#analyse?rules=nine&moves=g7");
  await expect(moves(second)).toContainText("g7");
  await page.reload();
  await expect(moves(page)).toContainText("a4");
  await page.getByRole("button", { name: "Back to my game" }).click();
  await expect(moves(page)).toContainText("f4");
  await expect(moves(page)).not.toContainText("d2");
  await expect(page.getByTestId("earlier")).toHaveCount(0);
  await expect(page.locator(".point:focus")).toHaveCount(1);
});

test(
  "a game made of a link's is offered the game before it at the next visit too",
  { tag: "@long" },
  async ({ page, context }) => {
    await open(page, "#analyse");
    await page.getByLabel("Analysis on").uncheck();
    for (const name of ["d6", "f4"]) await point(page, name).click();
    await page.evaluate((hash) => (location.hash = hash), "#analyse?rules=nine&moves=a1");
    await expect(moves(page)).toContainText("a1");
    await point(page, "g7").click();
    await page.close();
    const second = await context.newPage();
    await open(second, "#analyse");
    await expect(moves(second)).toContainText("g7");
    await second.getByRole("button", { name: "Back to my game" }).click();
    await expect(moves(second)).toContainText("f4");
    const third = await context.newPage();
    await open(third, "#analyse");
    await expect(moves(third)).toContainText("f4");
    await expect(third.getByTestId("earlier")).toHaveCount(0);
  },
);

test("a page that Back brings back as it was left is loaded anew", async ({ page }) => {
  await open(page, "#play", weak);
  const loaded = page.waitForEvent("load");
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await loaded;
  await expect(status(page)).toHaveText(/Your turn/);
});

test("links between the parts, and links to games, work without the Navigation API", async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, "navigation"));
  await open(page, "#play");
  expect(await page.evaluate(() => "navigation" in window)).toBe(false);
  await page.locator('.modes a[href="#analyse"]').click();
  await expect(page.getByLabel("Analysis on")).toBeVisible();
  await expect(page).toHaveURL(/#analyse$/);
  await page.evaluate(() => (location.hash = "#analyse?rules=nine&moves=a1"));
  await expect(moves(page)).toContainText("a1");
});

test("Back and Forward go from a link to the reader's own game, and to the link again", async ({ page }) => {
  await open(page, "#analyse");
  await page.getByLabel("Analysis on").uncheck();
  for (const name of ["d6", "f4"]) await point(page, name).click();
  const show = (address: string) => page.evaluate((hash) => (location.hash = hash), address);
  await show("#analyse?rules=nine&moves=a1");
  await expect(page).toHaveURL(/#analyse$/);
  await page.locator('.modes a[href="#explore"]').click();
  await page.reload();
  await expect(moves(page)).toContainText("a1");
  await page.goBack();
  await expect(moves(page)).toContainText("a1");
  await page.goBack();
  await expect(moves(page)).toContainText("f4");
  await expect(live(page)).toHaveText("Move 2 of 2. Black places a man on f4.");
  await expect(page.getByTestId("earlier")).toHaveCount(0);
  await page.goForward();
  await expect(moves(page)).toContainText("a1");
  await expect(live(page)).toHaveText("Move 1 of 1. White places a man on a1.");
  await expect(page.getByTestId("earlier")).toHaveCount(1);
  // In Play nothing is said about it.
  await page.locator('.modes a[href="#play"]').click();
  await show("#explore?rules=nine&moves=g7");
  await expect(moves(page)).toContainText("g7");
  const said = await live(page).innerText();
  await page.goBack();
  await expect(status(page)).toBeVisible();
  await page.waitForTimeout(100);
  expect(await live(page).innerText()).toBe(said);
  await page.goBack();
  // What the reader has made of the link's game is not taken away.
  await point(page, "d6").click();
  await page.goBack();
  await expect(page).toHaveURL(/#analyse$/);
  await expect(moves(page)).toContainText("d6");
  await expect(moves(page)).toContainText("a1");
});
