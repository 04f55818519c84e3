import AxeBuilder from "@axe-core/playwright";
import { expect, open, test } from "./support/page";

for (const mode of ["play", "analyse", "explore"])
  for (const colorScheme of ["light", "dark"] as const)
    test(`axe finds nothing serious: ${mode}, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await open(page, mode === "play" ? "#play" : `#${mode}?rules=nine&moves=d6_f4_d2_b4_b2_d7_f2_xd7`);
      if (mode === "explore") await expect(page.getByTestId("value")).toBeVisible({ timeout: 30_000 });
      if (mode === "analyse") await expect(page.locator(".lines li")).toHaveCount(3);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
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
