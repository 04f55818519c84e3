import { expect, men, open, point, test } from "./support/page";

const NASTY = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

test("nothing pasted becomes markup", async ({ page }) => {
  await open(page, "#analyse");
  const harmless = async () => {
    expect(await page.locator("img, script:not([src]), iframe, object, embed").count()).toBe(0);
  };
  const texts = [
    NASTY,
    `********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ${NASTY}`,
    `[Event "${NASTY.replaceAll('"', "'")}"]\n[White "${NASTY.replaceAll('"', "'")}"]\n\n1. d6 {${NASTY}} f4 *\n`,
    `d6 f4 ${NASTY}`,
  ];
  for (const text of texts) {
    await page.getByLabel("Position or game").fill(text);
    await page.getByRole("button", { name: "Load the text" }).click();
    await harmless();
  }
  await page.locator('input[type="file"]').setInputFiles({
    name: `${NASTY.replaceAll("/", "")}.pgn`,
    mimeType: "text/plain",
    buffer: Buffer.from("d6 f4"),
  });
  await expect(page.getByTestId("open-note")).toContainText("<img src=x");
  await harmless();

  await page.getByLabel("Move by text").fill("<b>d6");
  await page.keyboard.press("Enter");
  await expect(page.getByText("<b>d6 is not a legal move here.")).toBeVisible();

  for (const field of ["rules", "fen", "moves", "game"]) {
    await page.goto("about:blank");
    await page.goto(`#analyse?${field}=${encodeURIComponent(NASTY)}`);
    await expect(page.getByRole("alert")).toContainText("The link cannot be read");
    await harmless();
  }
  await page.goto("#explore");
  await page.getByRole("radio", { name: "web folder" }).check();
  const bad = page.getByTestId("bad-url");
  const addresses = ["javascript:alert(1)", "data:text/html,x", NASTY, `https://example.invalid/?${NASTY}`];
  for (const address of addresses) {
    await page.getByLabel("Address of the folder").fill(address);
    await page.getByRole("button", { name: "Use this folder" }).click();
    await expect(bad).toContainText(
      address.startsWith("https:") ? "?%3Cimg%20src=x" : `Found “${address.slice(0, 50)}`,
    );
    await harmless();
  }
});

test("a huge text is refused at once, and a long one is read without being shown", async ({ page }) => {
  await open(page, "#analyse");
  const field = page.getByLabel("Position or game");
  const note = page.getByTestId("open-note");
  const paste = (text: string, times: number) =>
    field.evaluate(
      (area, [part, count]) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", part.repeat(count));
        area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      },
      [text, times] as const,
    );
  await paste("\u202e\u0000<img src=x>", 400_000);
  await expect(note).toContainText("too large");
  await expect(field).toHaveValue("");
  await paste(NASTY, 2_000);
  await expect(note).toContainText("cannot be read");
  await expect(field).toHaveValue("");
  await field.fill(`1. d6 {${"a long comment ".repeat(3_000)}} f4 *`);
  await expect.poll(async () => (await men(page))["f4"]).toBe("black man");
  await expect(field).toHaveValue("");
  await expect(note).toBeHidden();
});

test("the security policy is strict and holds", async ({ page, faults }) => {
  await open(page);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|(script|style|worker)-src[^;]*(\*|data:|https?:)/);
  const breaches = await page.evaluate(async () => {
    const seen: string[] = [];
    document.addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.broken = true";
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "body { display: none }";
    document.head.append(style);
    const frame = document.createElement("iframe");
    frame.src = "https://example.invalid/";
    document.body.append(frame);
    const element = document.createElement("p");
    element.setAttribute("style", "position: fixed");
    document.body.append(element);
    // In a task of its own: the protocol of the test may evaluate text in spite of the policy.
    await new Promise<void>((done) =>
      setTimeout(() => {
        try {
          new Function("window.broken = true")();
        } catch {
          seen.push("eval");
        }
        setTimeout(done, 300);
      }),
    );
    return { seen, broken: "broken" in window };
  });
  expect(breaches.broken).toBe(false);
  expect(new Set(breaches.seen)).toEqual(
    new Set(["script-src-elem", "style-src-elem", "style-src-attr", "frame-src", "script-src", "eval"]),
  );
  // These were asked for.
  faults.length = 0;
});

test("stored games of other versions and nonsense in storage do no harm", async ({ page }) => {
  await open(page, "#play", {
    play: { settings: { rules: "<b>", level: 99 }, human: "w" },
    study: { rules: "nine", start: "nonsense", moves: ["z9"], ply: 4 },
    prefs: { theme: "dark", language: "constructor" },
    folder: 7,
  });
  await point(page, "d6").click();
  await expect.poll(async () => (await men(page))["d6"]).toBe("white man");
  await page.getByRole("link", { name: "Analyse" }).click();
  await expect(page.getByText("No moves yet.")).toBeVisible();
  await point(page, "f4").click();
  await page.evaluate(() => {
    sessionStorage.setItem("millstone.ply", "-1");
    sessionStorage.setItem("millstone.earlier", '{"rules": "custom", "start": "", "moves": [], "ply": 0}');
  });
  await page.reload();
  await expect(point(page, "f4")).toHaveAccessibleName(/white man/);
  await expect(page.getByTestId("earlier")).toHaveCount(0);
});

test("rules and clocks that do not exist are not taken from storage", async ({ page }) => {
  const settings = { rules: "nope", colour: "w", by: "level", level: 0, elo: 516, clock: null };
  const game = { rules: "nine", start: "", moves: [], ply: 0 };
  const play = {
    settings: { ...settings, rules: "nine", clock: [1, 0] },
    human: "w",
    game,
    left: [],
    outcome: null,
  };
  await open(page, "#play", { settings, play });
  await expect(page.getByTestId("clock-w")).toHaveCount(0);
  await point(page, "d6").click();
  await expect.poll(async () => (await men(page))["d6"]).toBe("white man");
});
