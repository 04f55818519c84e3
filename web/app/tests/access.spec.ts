import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, open, test } from "./support/page";

for (const mode of ["play", "analyse", "explore"])
  for (const colorScheme of ["light", "dark"] as const)
    test(`axe finds nothing serious: ${mode}, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await open(page, mode === "play" ? "#play" : `#${mode}?rules=nine&moves=d6_f4_d2_b4_b2_d7_f2_xd7`);
      if (mode === "explore") await expect(page.getByTestId("value")).toBeVisible({ timeout: 30_000 });
      if (mode === "analyse") await expect(page.locator(".lines li")).toHaveCount(3);
      expect(await serious(page)).toEqual([]);
    });

/** The serious faults that axe finds. */
async function serious(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}

test("axe finds nothing serious in lists of games and messages", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#analyse?rules=nine&moves=d6_d6");
  await page.getByLabel("Analysis on").uncheck();
  const text = '[White "A"]\n\nd6 f4 *\n\n[White "B"]\n\nd6 d6 *\n\n[White "C"]\n\nd6 a1 {hello} 1-0\n';
  await page.getByLabel("Position or game").fill(text);
  await page.getByRole("button", { name: "Load the text" }).click();
  const inBoth = async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await serious(page), colorScheme).toEqual([]);
    }
  };
  await expect(page.getByTestId("game-fault")).toBeVisible();
  await inBoth();
  await page.getByTestId("gamelist").getByRole("button").nth(1).click();
  await expect(page.getByTestId("recorded")).toContainText("hello");
  await inBoth();
  await page.goto("#explore?rules=morabaraba");
  await expect(page.getByTestId("fault")).toBeVisible();
  await page.getByLabel("web folder").check({ force: true });
  await page.getByLabel("Address of the folder").fill("https://tables.example/?x");
  await page.getByRole("button", { name: "Use this folder" }).click();
  await expect(page.getByTestId("bad-url")).toBeVisible();
  await inBoth();
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
  expect(await ground()).toBe("rgb(27, 25, 23)");
  await page.getByLabel("Farben").selectOption("light");
  expect(await ground()).toBe("rgb(239, 232, 220)");
});

test("nothing moves for those who want no motion", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#analyse");
  await page.locator('[data-point="d6"]').click();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
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
