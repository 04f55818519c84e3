import { readFile } from "node:fs/promises";
import { board, expect, men, open, point, test } from "./support/page";

const MOVES = "d6_f4_d2_b4_b2_d7_f2_xd7";

test("lines, arrows, bar and graph of the engine are shown", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  await expect(page.locator(".lines li")).toHaveCount(3);
  await expect(page.locator(".arrows .arrow")).toHaveCount(3);
  await expect(page.getByRole("img", { name: /^Value for White: ./ })).toBeVisible();
  await page.getByRole("combobox", { name: "Lines" }).selectOption("5");
  await expect(page.locator(".lines li")).toHaveCount(5);
  await page.getByRole("button", { name: "Analyse the whole game" }).click();
  await expect(page.locator(".graph-point")).toHaveCount(9, { timeout: 45_000 });
  await page.getByLabel("Analysis on").uncheck();
  await expect(page.locator(".arrows .arrow")).toHaveCount(0);
});

test("exact values and those of the search are told apart", async ({ page }) => {
  // Three men against three: in the built-in tablebase.
  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(fen)}`);
  await expect(page.getByTestId("verdict")).toContainText("exact", { timeout: 30_000 });
  await expect(page.locator(".lines .badge.exact")).toHaveCount(3);
  await expect(page.locator(".bar.exact")).toHaveCount(1);
  // No tablebase of Morabaraba is built in.
  await page.getByRole("combobox", { name: "Game" }).selectOption("morabaraba");
  await expect(page.getByTestId("verdict")).toContainText("search");
  await expect(page.locator(".lines .badge.search")).toHaveCount(3);
});

test("positions and games in all four forms are read", async ({ page }) => {
  await open(page, "#analyse");
  const load = async (text: string) => {
    await page.getByLabel("Position or game").fill(text);
    await page.getByRole("button", { name: "Load the text" }).click();
  };
  const forms = {
    common: '[Event "Example"]\n[Result "*"]\n[Variant "Nine Men\'s Morris"]\n\n1. d7 a1 2. g7 d1 3. a7xa1 f4 *\n',
    playok: '[Site "PlayOK"]\n\n1. 2 22 2. 3 23 3. 1x22 14\n',
    goldtoken: "1\tPlace to d7\tPlace to a1\n2\tPlace to g7\tPlace to d1\n3\tPlace to a7, take a1\tPlace to f4\n",
    tokens: "d7 a1 g7 d1 a7 xa1 f4",
  };
  for (const [form, text] of Object.entries(forms)) {
    await page.getByRole("button", { name: "New board" }).click();
    await expect(page.getByText("No moves yet.")).toBeVisible();
    await load(text);
    await expect(page.getByRole("list", { name: "Moves of the game" }), form).toContainText("a7xa1");
    await expect.poll(async () => (await men(page))["f4"], form).toBe("black man");
  }
  await load("********/O*******/@******* w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes");
  await expect.poll(async () => (await men(page))["d7"]).toBe("black man");
  await load("********/O****");
  await expect(page.getByTestId("open-note")).toContainText("This cannot be read");
  expect((await men(page))["d7"], "what stood before stays").toBe("black man");

  await page.locator('input[type="file"]').setInputFiles({
    name: "game.pgn",
    mimeType: "text/plain",
    buffer: Buffer.from(forms.common),
  });
  await expect(page.getByTestId("open-note")).toHaveText("Opened: game.pgn");
});

test("a link holds the game, and files hold text and pictures", async ({ page, context }) => {
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  await expect(page.getByRole("list", { name: "Moves of the game" })).toContainText("f2xd7");
  const link = await page.getByTestId("link").inputValue();
  const other = await context.newPage();
  await other.goto("about:blank");
  await other.addInitScript(() => localStorage.clear());
  await open(other, link);
  await expect(other.getByRole("list", { name: "Moves of the game" })).toContainText("f2xd7");
  expect(await men(other)).toEqual(await men(page));
  await other.close();

  const saved = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name }).click(),
    ]);
    return readFile(await download.path());
  };
  expect((await saved("Game as text")).toString()).toContain("f2xd7");
  expect((await saved("Board as SVG")).toString()).toMatch(/^<svg /);
  const png = await saved("Board as PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.length).toBeGreaterThan(5000);
});

test("the record is walked through by buttons and keys", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  await page.getByRole("button", { name: "To the start" }).click();
  expect(new Set(Object.values(await men(page)))).toEqual(new Set(["empty"]));
  await board(page).locator('.point[tabindex="0"]').focus();
  await page.keyboard.press("PageDown");
  await expect(point(page, "d6")).toHaveAccessibleName(/white man/);
  await page.keyboard.press("End");
  await expect(point(page, "f2")).toHaveAccessibleName(/white man/);
  await page.getByRole("button", { name: "f4", exact: true }).click();
  await expect(point(page, "f2")).toHaveAccessibleName(/empty/);
});

test("a value that is exact under some rules is not taken for others", async ({ page }) => {
  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(fen)}`);
  await expect(page.getByTestId("verdict")).toContainText("exact");
  await page.evaluate((text) => (location.hash = `#analyse?rules=cheng-san-qi&fen=${text}`), encodeURIComponent(fen));
  await expect(page.getByTestId("verdict")).not.toContainText("exact");
  await page.evaluate((text) => (location.hash = `#analyse?rules=nine&fen=${text}`), encodeURIComponent(fen));
  await expect(page.getByTestId("verdict")).toContainText("exact");
});

test("a finished position without a named winner is no draw", async ({ page }) => {
  const over = (board: string, men: string) => `${board} w o s ${men} 0 0 -1 -1 -1 -1 0 0 1 ids:nodes`;
  const show = async (fen: string) => {
    await page.goto("about:blank");
    await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(fen)}`);
  };
  await show(over("O**O****/@**@**@*/********", "2 0 3 0"));
  await expect(page.getByTestId("verdict")).toContainText("Black wins exact");
  await expect(page.locator(".status.over")).toContainText("Black wins");
  await show(over("O**O**O*/@**@**@*/********", "3 0 3 0"));
  await expect(page.locator(".status.over")).toHaveText("The game is over");
  await expect(page.getByTestId("verdict")).not.toContainText("Draw");
  await expect(page.locator(".graph-point")).toHaveCount(0);
});

test("a link that is too long is refused", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${"d6_".repeat(40_000)}`);
  await expect(page.getByRole("alert")).toContainText("too large (121 KB; at most 100 KB)");
});
