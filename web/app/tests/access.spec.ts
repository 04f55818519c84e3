import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { en } from "../src/i18n/en";
import { expect, live, open, point, status, test, weak } from "./support/page";

for (const mode of ["play", "analyse", "explore"])
  test(`axe finds nothing serious: ${mode}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, mode === "play" ? "#play" : `#${mode}?rules=nine&moves=d6_f4_d2_b4_b2_d7_f2_xd7`);
    if (mode === "explore") await expect(page.getByTestId("value")).toBeVisible({ timeout: 30_000 });
    if (mode === "analyse") await expect(page.locator(".lines li")).toHaveCount(3);
    await expectNothingSerious(page);
  });

/** Expects that axe finds no serious fault, in light and dark colours. */
async function expectNothingSerious(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    expect(serious, colorScheme).toEqual([]);
  }
}

test("axe finds nothing serious in lists of games and messages", { tag: "@long" }, async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#analyse?rules=nine&moves=d6_d6");
  await page.getByLabel("Analysis on").uncheck();
  const text = '[White "A"]\n\nd6 f4 *\n\n[White "B"]\n\nd6 d6 *\n\n[White "C"]\n\nd6 a1 {hello} 1-0\n';
  await page.getByLabel("Position or game").fill(text);
  await page.getByRole("button", { name: "Load the text" }).click();
  await expect(page.getByTestId("game-fault")).toBeVisible();
  await expectNothingSerious(page);
  await page.getByTestId("gamelist").getByRole("button").nth(1).click();
  await expect(page.getByTestId("recorded")).toContainText("hello");
  await expectNothingSerious(page);
  await page.goto("#explore?rules=russian");
  await expect(page.getByTestId("fault")).toBeVisible();
  await page.getByLabel("web folder").check({ force: true });
  await page.getByLabel("Address of the folder").fill("https://tables.example/?x");
  await page.getByRole("button", { name: "Use this folder" }).click();
  await expect(page.getByTestId("bad-url")).toBeVisible();
  await expectNothingSerious(page);
});

test("the focus stays where the reader works, whatever the page takes away", async ({ page }) => {
  await open(page, "#play", weak);
  const press = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  };
  const focused = (name: string) => expect(page.getByRole("button", { name, exact: true })).toBeFocused();
  await point(page, "d6").focus();
  await page.keyboard.press("Enter");
  await expect(status(page)).toHaveText(/Your turn/);
  await press("Take back");
  await expect(page.getByRole("button", { name: "Take back" })).toBeDisabled();
  await focused("Take back");
  await press("Hint");
  await expect(page.locator(".arrow-hint")).toHaveCount(1);
  await focused("Hint");
  await press("Resign");
  await focused("No");
  await press("No");
  await focused("Resign");
  await press("Resign");
  await press("Resign");
  await focused("Play again");
  await press("Play again");
  await expect(page.locator(".point:focus")).toHaveCount(1);

  await point(page, "d6").press("Enter");
  await expect(status(page)).toHaveText(/Your turn/);
  await press("Analyse this game");
  await expect(page.locator(".point:focus")).toHaveCount(1);
  await expect(live(page)).toHaveText(/^Move 2 of 2\. Black places a man on [a-g][1-7]\.$/);
  await expect(page.locator('.player[data-side="w"]')).toContainText("You");
  await expect(page.locator('.player[data-side="b"]')).toContainText("Millstone");
  await expect(page.getByRole("button", { name: "Resign" })).toHaveCount(0);

  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await page.goto(`#explore?rules=nine&fen=${encodeURIComponent(fen)}`);
  for (const [part, entry] of [
    ["explore", ".probe-move"],
    ["analyse", ".lines button"],
  ] as const) {
    await page.locator(`.modes a[href="#${part}"]`).click();
    const first = page.locator(entry).first();
    await first.focus();
    const panel = page.locator(".side.right");
    const moves = page.getByRole("list", { name: "Moves of the game" });
    const before = await moves.or(page.getByText("No moves yet.")).innerText();
    await page.keyboard.press("Enter");
    await expect(moves).not.toHaveText(before);
    await expect(panel.locator(":focus")).toHaveCount(1);
    await expect(first).toBeFocused();
  }
  await press("To the start");
  await focused("To the start");
  // All positions are in the tablebase, so the button that stops the work is soon gone again.
  await press("Analyse the whole game");
  await expect(page.locator(".graph-point")).not.toHaveCount(1);
  await focused("Analyse the whole game");
});

test("the page speaks German and remembers it", async ({ page }) => {
  await open(page);
  await page.getByLabel("Language").selectOption("de");
  await expect(page.getByRole("button", { name: "Zurücknehmen" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await page.reload();
  await expect(page.getByRole("button", { name: "Zurücknehmen" })).toBeVisible();
  await page.getByLabel("Farben").selectOption("dark");
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const bars = () =>
    page
      .locator('meta[name="theme-color"]')
      .evaluateAll((metas) => metas.map((meta) => (meta as HTMLMetaElement).content));
  expect(await ground()).toBe("rgb(27, 25, 23)");
  expect(await bars()).toEqual(["#1b1917", "#1b1917"]);
  await page.getByLabel("Farben").selectOption("light");
  expect(await ground()).toBe("rgb(239, 232, 220)");
  expect(await bars()).toEqual(["#efe8dc", "#efe8dc"]);
  await page.getByLabel("Farben").selectOption("auto");
  expect(await bars()).toEqual(["#efe8dc", "#1b1917"]);
});

test("every text of the page is used", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const folder = `${root}/web/app/src`;
  const names = readdirSync(folder, { recursive: true }) as string[];
  const files = names.filter((name) => /(?<!i18n\/(en|de))\.tsx?$/.test(name));
  const source = files.map((name) => readFileSync(`${folder}/${name}`, "utf8")).join("");
  // Some are put together, as `side.${side}`. These are the words that their ends can be.
  const words = (path: string, pattern: RegExp): string[] =>
    [...readFileSync(`${root}/${path}`, "utf8").matchAll(pattern)].map(([, word]) => word!);
  const named = words("src/rules/named.rs", /^ {8}name: "([a-z-]+)",$/gm);
  const ends: Record<string, readonly string[]> = {
    "about.": named,
    "app.": ["preparing", "ready", "incomplete"],
    "fault.": words("web/engine/index.d.ts", /^ {8}\| "([a-z-]+)"/gm),
    "mode.": ["play", "analyse", "explore"],
    "reason.": [...words("src/position/outcome.rs", /=> "([A-Za-z]+)"/g), "resign", "time"],
    "result.win.": ["w", "b"],
    "rules.": [...named, "custom"],
    "side.": ["w", "b"],
    "theme.": ["auto", "light", "dark"],
    "value.": ["win", "draw", "loss"],
  };
  const prefixes = new Set([...source.matchAll(/`([a-z.]+\.)\$\{/g)].map(([, prefix]) => prefix!));
  expect([...prefixes].sort()).toEqual(Object.keys(ends));
  const isUsed = (key: string) =>
    source.includes(`"${key}"`) ||
    Object.entries(ends).some(([prefix, list]) => list.some((end) => key === prefix + end));
  expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
});

test("nothing moves for those who want no motion", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#analyse");
  await page.locator('[data-point="d6"]').click();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test("text has the size that the browser is set to, and fits a narrow window", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const browser = await page.context().newCDPSession(page);
  for (const size of [24, 32]) {
    await browser.send("Page.setFontSizes", { fontSizes: { standard: size } });
    for (const part of ["play", "analyse", "explore"]) {
      await open(page, `?${size}${part}#${part}`, { prefs: { theme: "light", language: "de" } });
      await expect(page.locator("html")).toHaveAttribute("lang", "de");
      await expect(page.locator("html")).toHaveCSS("font-size", `${size}px`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `${part} with ${size} px`).toBe(320);
    }
  }
});

test("forced colours leave the open part and exact values filled", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await open(page, "#analyse");
  const fill = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  const empty = await fill(".header");
  expect(await fill(".modes a[aria-current]")).not.toBe(empty);
  expect(await fill(".badge.exact")).not.toBe(empty);
});

test("the page can be installed", async ({ page, request }) => {
  await open(page);
  const href = await page.locator('link[rel="manifest"]').getAttribute("href");
  const manifest = (await (await request.get(href!)).json()) as {
    name: string;
    display: string;
    icons: { src: string; sizes: string }[];
  };
  expect(manifest.display).toBe("standalone");
  expect(manifest.icons.map((icon) => icon.sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  for (const icon of manifest.icons) expect((await request.get(icon.src)).ok(), icon.src).toBe(true);
});
