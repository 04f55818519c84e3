import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { answerWith, expect, open as openPage, point, status, test, weak } from "./support/page";

const PHONE = { width: 390, height: 844 };
const TABLET = { width: 820, height: 1180 };
const DESKTOP = { width: 1440, height: 900 };

const saved = (moves: string[], outcome: unknown = null) => ({
  play: {
    settings: { ...weak.settings, level: 8 },
    human: "w",
    game: { rules: "nine", start: "", moves, ply: moves.length },
    left: [0, 0],
    outcome,
  },
});
const OPENING = ["d6", "f4", "d2", "b4", "b2", "d7"];

/** Opens a part of the page in the font of the kept pictures, whatever the system's is. */
async function open(page: Page, address: string, stored: Record<string, unknown> = {}): Promise<void> {
  await openPage(page, address, stored);
  await page.evaluate(() => (document.documentElement.style.fontFamily = "DejaVu Sans"));
}

/** Six states of the page, each compared with its kept picture. */
test.describe("pictures", () => {
  test.beforeEach(({ page }) => page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" }));

  test("a game on a desktop", async ({ page }) => {
    await page.setViewportSize(DESKTOP);
    await open(page, "#play", saved(OPENING));
    await expect(page).toHaveScreenshot("play-desktop.png", { mask: [page.locator(".footer")] });
  });

  test("a take on a phone", async ({ page }) => {
    await page.setViewportSize(PHONE);
    await open(page, "#play", saved(OPENING));
    await point(page, "f2").click();
    await expect(status(page)).toHaveText(/take a man/);
    await page.mouse.move(0, 0);
    await expect(page).toHaveScreenshot("take-phone.png", { mask: [page.locator(".footer")] });
  });

  test("a finished game on a tablet in the dark", async ({ page }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(TABLET);
    await open(page, "#play", saved(OPENING, { winner: "b", reason: "resign" }));
    await expect(page).toHaveScreenshot("over-tablet.png", { mask: [page.locator(".footer")] });
  });

  test("analysis on a desktop in the dark", async ({ page }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(DESKTOP);
    // A search never ends at the same place twice; these lines are always the same.
    const lines = ["g4 d7 e4 xd7 c4 e3", "d7 g1 g4 e5", "e4 c5 e3 d5 e5 xc5 c3 b6 d6-f6"];
    await answerWith(
      page,
      lines.map(
        (pv, i) => `info depth 14 multipv ${i + 1} score cp ${40 - 55 * i} nodes 90000 nps 250000 pv ${pv}`,
      ),
    );
    await open(
      page,
      `#analyse?rules=nine&moves=${[...OPENING, "f2", "xd7", "a7", "g7", "a4", "a1"].join("_")}`,
    );
    await expect(page.locator(".lines li")).toHaveCount(3);
    await page.mouse.move(0, 0);
    await expect(page).toHaveScreenshot("analyse-desktop.png", { mask: [page.locator(".footer")] });
  });

  const ending = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  for (const [name, size, language] of [
    ["explore-desktop", DESKTOP, "en"],
    ["explore-phone-german", PHONE, "de"],
  ] as const)
    test(name, async ({ page }) => {
      await page.setViewportSize(size);
      await open(page, `#explore?rules=nine&fen=${encodeURIComponent(ending)}`, {
        prefs: { theme: "light", language },
      });
      await expect(page.getByTestId("value")).toBeVisible({ timeout: 30_000 });
      await expect(page).toHaveScreenshot(`${name}.png`, {
        mask: [page.locator(".footer"), page.getByTestId("cost")],
      });
    });
});

test("no example in a field is cut off", { tag: "@long" }, async ({ page }) => {
  for (const language of ["en", "de"])
    for (const size of [PHONE, TABLET, { width: 1000, height: 700 }, DESKTOP])
      for (const part of ["play", "analyse"]) {
        await page.setViewportSize(size);
        await page.goto("about:blank");
        await openPage(page, `?${language}#${part}`);
        await page.locator(".prefs select").first().selectOption(language);
        await expect(page.locator("html")).toHaveAttribute("lang", language);
        const cut = await page.locator("input[placeholder], textarea[placeholder]").evaluateAll((fields) =>
          (fields as HTMLInputElement[])
            .filter((field) => {
              field.value = field.placeholder;
              const isCut =
                field.scrollWidth > field.clientWidth || field.scrollHeight > field.clientHeight + 1;
              field.value = "";
              return isCut;
            })
            .map((field) => field.placeholder),
        );
        expect(cut, `${language} ${part} ${size.width}`).toEqual([]);
      }
});

test("a phone held across shows the whole board", { tag: "@long" }, async ({ page }) => {
  const settings = { ...weak.settings, clock: [30, 10] };
  const game = { rules: "nine", start: "", moves: [], ply: 0 };
  await openPage(page, "#play", {
    play: { settings, human: "w", game, left: [1_800_000, 1_800_000], outcome: null },
  });
  for (const language of ["en", "de"]) {
    await page.locator(".prefs select").first().selectOption(language);
    for (const [width, height] of [
      [932, 430],
      [844, 390],
      [667, 375],
      [568, 320],
    ] as const)
      for (const part of ["play", "analyse", "explore"]) {
        await page.setViewportSize({ width, height });
        await page.locator(`.modes a[href="#${part}"]`).click();
        await expect(page.locator(`.modes a[href="#${part}"]`)).toHaveAttribute("aria-current", "page");
        await page.evaluate(() => scrollTo(0, 0));
        const fits = () =>
          page.evaluate(() =>
            [".board", ".player", ".steps", ".prefs"].flatMap((name) =>
              [...document.querySelectorAll(name)]
                .filter((element) => {
                  const box = element.getBoundingClientRect();
                  return box.bottom > innerHeight || box.right > innerWidth;
                })
                .map(() => name),
            ),
          );
        expect(await fits(), `${language} ${width} ${part}`).toEqual([]);
      }
  }
});

test(
  "nothing is cut off or covered on the smallest phones, in any width and language",
  { tag: "@long" },
  async ({ page }) => {
    const game = { rules: "morabaraba", start: "", moves: [], ply: 0 };
    const settings = { ...weak.settings, rules: "morabaraba", clock: [30, 10] };
    const play = { settings, human: "w", game, left: [1_800_000, 1_800_000], outcome: null };
    await openPage(page, "#play", { play });
    for (const language of ["en", "de"]) {
      await page.locator(".prefs select").first().selectOption(language);
      await expect(page.locator("html")).toHaveAttribute("lang", language);
      for (const width of [320, 360, 390, 600, 820, 1000, 1440])
        for (const part of ["play", "analyse", "explore"]) {
          await page.setViewportSize({ width, height: 800 });
          await page.locator(`.modes a[href="#${part}"]`).click();
          await expect(page.locator(`.modes a[href="#${part}"]`)).toHaveAttribute("aria-current", "page");
          const bad = await page.evaluate(() => {
            const wide =
              document.documentElement.scrollWidth > innerWidth ? ["the page is wider than the screen"] : [];
            // A select needs as much room as it would take by itself.
            const cut = [...document.querySelectorAll("select")].filter((select) => {
              const free = select.cloneNode(true) as HTMLSelectElement;
              free.style.cssText = "width: max-content; min-width: 0";
              free.value = select.value;
              select.after(free);
              const needed = free.offsetWidth;
              free.remove();
              return select.offsetWidth > 0 && select.offsetWidth < needed - 1;
            });
            const covered = [...document.querySelectorAll(".player")].filter((player) => {
              const boxes = [...player.querySelectorAll("strong, span, .hand")]
                .map((part) => part.getBoundingClientRect())
                .filter((box) => box.width > 0);
              return boxes.some((a, i) =>
                boxes
                  .slice(i + 1)
                  .some(
                    (b) =>
                      a.left < b.right - 1 &&
                      b.left < a.right - 1 &&
                      a.top < b.bottom - 1 &&
                      b.top < a.bottom - 1,
                  ),
              );
            });
            return [
              ...wide,
              ...cut.map((select) => `cut: ${select.value}`),
              ...covered.map((player) => player.textContent),
            ];
          });
          expect(bad, `${language} ${width} ${part}`).toEqual([]);
        }
    }
  },
);

test("the script beside the engine has at most 60 KB compressed", () => {
  const folder = fileURLToPath(new URL("../dist", import.meta.url));
  const sizes = (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => name.endsWith(".js"))
    .map((name) => gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(1);
  expect(all).toBeLessThanOrEqual(60_000);
});
