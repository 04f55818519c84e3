import { click } from "../src/board/choice";
import { step } from "../src/board/points";
import { Clock } from "../src/play/clock";
import { playToTheEnd } from "./support/game";
import {
  answerWith,
  board,
  breakDown,
  expect,
  firm,
  listen,
  live,
  men,
  open,
  point,
  pointsWith,
  status,
  talk,
  test,
  weak,
} from "./support/page";

test("a game is played to its end by clicks", { tag: "@long" }, async ({ page }) => {
  test.setTimeout(180_000);
  await open(page, "#play", firm);
  const result = await playToTheEnd(page, (name) => point(page, name).click());
  expect(result).toMatch(/^(You win|Millstone wins|Draw): ./);
  await page.getByRole("button", { name: "Play again" }).click();
  await expect(status(page)).toHaveText(/place a man/);
  expect(new Set(Object.values(await men(page)))).toEqual(new Set(["empty"]));
});

test("a game is played to its end by the keyboard alone", { tag: "@long" }, async ({ page }) => {
  test.setTimeout(180_000);
  await open(page, "#play", firm);
  // From the start of the page to the board, as somebody without a mouse goes.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the board" })).toBeFocused();
  await page.keyboard.press("Enter");
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset["point"] ?? "");
  await expect.poll(focused).not.toBe("");
  const result = await playToTheEnd(page, async (name) => {
    for (const key of way(await focused(), name)) await page.keyboard.press(key);
    expect(await focused()).toBe(name);
    await page.keyboard.press("Enter");
  });
  expect(result).toMatch(/^(You win|Millstone wins|Draw): ./);
});

/** The arrow keys from one point to another. */
function way(from: string, to: string): string[] {
  const known = new Map<string, string[]>([[from, []]]);
  for (const [at, keys] of known)
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
      const next = step(at, key);
      if (!known.has(next)) known.set(next, [...keys, key]);
    }
  return known.get(to)!;
}

test("a reload in the middle of a game loses nothing", async ({ page }) => {
  await open(page, "#play", { settings: { ...weak.settings, rules: "lasker", clock: [10, 5] } });
  for (const name of ["d6", "f4", "b4"]) {
    await expect(status(page)).toHaveText(/Your turn/);
    if ((await men(page))[name] === "empty") await point(page, name).click();
  }
  await expect(status(page)).toHaveText(/Your turn|You closed/);
  const before = {
    men: await men(page),
    moves: await page.getByRole("list", { name: "Moves of the game" }).innerText(),
    rules: await page.locator("details.left summary").innerText(),
  };
  const seconds = async () => {
    const [minutes, rest] = (await page.getByTestId("clock-w").innerText()).split(":").map(Number);
    return minutes! * 60 + rest!;
  };
  const left = await seconds();
  await page.reload();
  await expect(board(page)).toBeVisible();
  expect({
    men: await men(page),
    moves: await page.getByRole("list", { name: "Moves of the game" }).innerText(),
    rules: await page.locator("details.left summary").innerText(),
  }).toEqual(before);
  const now = await seconds();
  expect(now).toBeLessThanOrEqual(left);
  expect(now).toBeGreaterThan(left - 60);
  // And the game goes on.
  await expect(status(page)).toHaveText(/Your turn|You closed/);
});

test("take back, hint and resign do what they say", async ({ page }) => {
  await open(page, "#play", weak);
  await point(page, "d6").click();
  await expect(live(page)).toContainText("White places a man on d6.");
  await expect(status(page)).toHaveText(/Your turn/);
  expect(Object.values(await men(page)).filter((man) => man !== "empty")).toHaveLength(2);
  await page.getByRole("button", { name: "Take back" }).click();
  expect(new Set(Object.values(await men(page)))).toEqual(new Set(["empty"]));
  await expect(page.getByRole("button", { name: "Take back" })).toBeDisabled();

  await page.getByRole("button", { name: "Hint" }).click();
  await expect(live(page)).toHaveText(/Hint: White places a man on [a-g][1-7]\.$/);
  await expect(page.locator(".arrow-hint")).toHaveCount(1);

  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "No", exact: true }).click();
  await expect(status(page)).toHaveText(/Your turn/);
  await expect(page.locator(".player.turn")).toHaveCount(1);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Resign" }).click();
  await expect(status(page)).toHaveText("Millstone wins: resignation");
  await expect(page.locator(".player.turn"), "no side is marked as to move").toHaveCount(0);
});

test(
  "every rule set starts a game, the engine answers, and either colour can be had",
  { tag: "@long" },
  async ({ page }) => {
    test.setTimeout(120_000);
    await open(page, "#play", weak);
    const choice = page.getByRole("combobox", { name: "Game" });
    const ids = await choice
      .locator("option")
      .evaluateAll((options) => options.map((o) => (o as HTMLOptionElement).value));
    expect(ids).toHaveLength(13);
    for (const [i, id] of ids.entries()) {
      await choice.selectOption(id);
      await page.getByRole("radio", { name: i % 2 ? "Black" : "White" }).check();
      await page.getByRole("button", { name: "Start the game" }).click();
      if (i % 2)
        await expect.poll(async () => Object.values(await men(page)).includes("white man")).toBe(true);
      await expect(status(page)).toHaveText(/Your turn/);
      const [free] = await pointsWith(page, "can be chosen");
      await point(page, free!).click();
      await expect.poll(async () => (await men(page))[free!]).toBe(i % 2 ? "black man" : "white man");
      const others = async () =>
        Object.values(await men(page)).filter((man) => man === (i % 2 ? "white man" : "black man"));
      await expect
        .poll(async () => (await others()).length, { message: id })
        .toBeGreaterThanOrEqual(i % 2 ? 2 : 1);
    }
  },
);

test("level, Elo and clock reach the engine and change what it does", async ({ page }) => {
  await listen(page);
  await open(page, "#play", { settings: { ...weak.settings, colour: "b" } });
  const nodes = (lines: string[]) =>
    Math.max(0, ...lines.map((line) => Number(/ nodes (\d+)/.exec(line)?.[1] ?? 0)));
  const slider = page.getByRole("slider", { name: "Strength" });
  const begin = async (by: "Level" | "Elo", value: number, clock = "") => {
    await page.getByRole("radio", { name: by, exact: true }).check({ force: true });
    await slider.fill(String(value));
    await page.getByRole("combobox", { name: "Clock" }).selectOption(clock);
    await page.getByRole("button", { name: "Start the game" }).click();
    const lines = await talk(page);
    await expect(status(page)).toHaveText(/Your turn/);
    return lines;
  };
  // The game of the first visit begins by itself.
  await talk(page);
  const searched: number[] = [];
  for (const level of [1, 15, 30]) {
    const lines = await begin("Level", level);
    expect(lines).toContain(`> setoption name SkillLevel value ${level}`);
    expect(lines).toContain("> setoption name UCI_LimitStrength value false");
    expect(lines).toContain("> go movetime 1000");
    searched.push(nodes(lines));
  }
  expect(searched[0]! < searched[1]! && searched[1]! < searched[2]!, `nodes ${searched}`).toBe(true);
  const elo = await begin("Elo", 1200);
  expect(elo).toContain("> setoption name UCI_LimitStrength value true");
  expect(elo).toContain("> setoption name UCI_Elo value 1200");
  expect(nodes(elo)).toBeLessThan(searched[2]!);
  const timed = await begin("Elo", 900, "3+2");
  expect(timed).toContain("> setoption name UCI_Elo value 900");
  expect(timed.find((line) => line.startsWith("> go "))).toMatch(
    /^> go wtime \d+ btime 180000 winc 2000 binc 2000$/,
  );
  await expect(page.getByTestId("clock-b")).toBeVisible();

  // A hint comes from the engine at its full strength, whatever the game's is.
  await page.getByRole("button", { name: "Hint" }).click();
  const hint = await talk(page);
  expect(hint).toContain("> setoption name SkillLevel value 30");
  expect(hint).toContain("> setoption name UCI_LimitStrength value false");
  await expect(live(page)).toContainText(/Hint: Black places a man/);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Resign" }).click();
  await expect(status(page)).toHaveText("Millstone wins: resignation");
});

test("a weak engine learns nothing from a hint, and a new game from no other", async ({ page }) => {
  await listen(page);
  await open(page, "#play", weak);
  const answer = async (name: string) => {
    await point(page, name).click();
    const lines = await talk(page);
    await expect(status(page)).toHaveText(/Your turn|You closed/);
    return ["> ucinewgame", "> setoption name Clear Hash"].map((line) => lines.includes(line));
  };
  const free = async () => (await pointsWith(page, "can be chosen"))[0]!;
  expect(await answer("d6")).toEqual([true, true]);
  expect(await answer(await free()), "the engine keeps what it has found itself").toEqual([false, false]);
  await page.getByRole("button", { name: "Hint" }).click();
  await talk(page);
  expect(await answer(await free())).toEqual([false, true]);
  await page.getByRole("button", { name: "Start the game" }).click();
  expect((await answer("d6"))[0]).toBe(true);
});

test.describe("a first visit on a slow line", () => {
  test.use({ serviceWorkers: "block" });
  for (const [rules, file, text] of [
    ["nine", "certificate", "Millstone is loading the 7 MB file with which it never loses …"],
    ["morabaraba", "network-morabaraba", "Millstone is loading its knowledge of this game …"],
  ] as const)
    test(`says what the engine waits for before its first move of ${rules}`, async ({ page }) => {
      let send = () => {};
      const wanted = new Promise<void>((done) => (send = done));
      await page.route(`**/${file}-*.bin`, (route) => wanted.then(() => route.continue()));
      await open(page, "#play", { settings: { ...weak.settings, rules, level: 30 } });
      await point(page, "d6").click();
      await expect(status(page)).toHaveText(text);
      send();
      await expect(status(page)).toHaveText(/Your turn/);
    });
});

test("a clock whose flag has fallen gets no time and does not run again", async () => {
  // The page's clock without the page.
  Object.assign(globalThis, { window: globalThis });
  for (const then of ["add", "run"] as const) {
    const flags: string[] = [];
    const clock = new Clock([20, 5_000], (side) => flags.push(side));
    clock.run("w");
    // Without a pause in which the clock could look at the time.
    const end = performance.now() + 40;
    while (performance.now() < end);
    if (then === "add") clock.add("w", 3_000);
    else clock.run("b");
    expect(clock.left.value, then).toEqual([0, 5_000]);
    // Longer than between two looks at the clock.
    await new Promise((done) => setTimeout(done, 250));
    expect([clock.left.value, flags], then).toEqual([[0, 5_000], ["w"]]);
    clock.stop();
  }
  Reflect.deleteProperty(globalThis, "window");
});

test("a turn that is taken back while the engine thinks has no answer", async ({ page }) => {
  await listen(page);
  await open(page, "#play", { settings: { ...weak.settings, level: 30 } });
  await point(page, "d6").click();
  // On a busy machine the engine answers as soon as it has the certificate.
  await expect(status(page)).toHaveText(/thinking|is loading/);
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(status(page)).toHaveText(/Your turn/);
  expect(await talk(page)).toContain("> stop");
  // Longer than a move of the engine is kept back.
  await page.waitForTimeout(600);
  expect(new Set(Object.values(await men(page)))).toEqual(new Set(["empty"]));
});

test("a hint ends with the position that it is for", async ({ page }) => {
  await listen(page);
  const moves = ["d6", "f4", "d2", "b4", "b2", "d7"];
  const game = { rules: "nine", start: "", moves, ply: moves.length };
  await open(page, "#play", {
    play: { settings: weak.settings, human: "w", game, left: [0, 0], outcome: null },
  });
  // In one go, so that the hint is not there before.
  const hintThen = (next: string) =>
    page.evaluate((selector) => {
      const button = (name: string) =>
        [...document.querySelectorAll("button")].find((found) => found.textContent === name);
      button("Hint")!.click();
      (button(selector) ?? document.querySelector<HTMLElement>(selector)!).click();
    }, next);
  // The reader is to move before and after both.
  await hintThen('[data-point="f2"]');
  await expect(status(page)).toHaveText("You closed a mill: take a man");
  expect(await talk(page)).toContain("> stop");
  await hintThen("Take back");
  await expect(status(page)).toHaveText(/place a man/);
  expect(await talk(page)).toContain("> stop");
});

test("who runs out of time loses, and the game stays lost after a reload", async ({ page }) => {
  await open(page, "#play", { settings: { ...weak.settings, clock: [1, 0] } });
  await point(page, "d6").click();
  await expect
    .poll(async () => Object.values(await men(page)).includes("black man"), { timeout: 30_000 })
    .toBe(true);
  await expect(status(page)).toHaveText(/Your turn/);
  // The same game, a moment before the flag falls.
  await page.addInitScript(() => {
    const saved = JSON.parse(localStorage.getItem("millstone.play") ?? "null");
    if (saved && !saved.outcome)
      localStorage.setItem("millstone.play", JSON.stringify({ ...saved, left: [400, 30_000] }));
  });
  await page.reload();
  await expect(status(page)).toHaveText(/Millstone wins.*time/, { timeout: 30_000 });
  await expect(live(page)).toContainText("time");
  expect(await pointsWith(page, "can be chosen")).toEqual([]);
  await page.reload();
  await expect(status(page)).toHaveText(/Millstone wins.*time/);
  await expect(page.getByRole("button", { name: "Take back" })).toBeDisabled();
  await page.getByRole("button", { name: "Play again" }).click();
  await expect(status(page)).toHaveText(/place a man/);
});

test("tenths of a second are written as the language does", async ({ page }) => {
  const game = { rules: "nine", start: "", moves: [], ply: 0 };
  const play = {
    settings: { ...weak.settings, clock: [1, 0] },
    human: "w",
    game,
    left: [8_000, 60_000],
    outcome: null,
  };
  await open(page, "#play", { play });
  await expect(page.getByTestId("clock-w")).toHaveText(/^\d\.\d$/);
  await page.getByLabel("Language").selectOption("de");
  await expect(page.getByTestId("clock-w")).toHaveText(/^\d,\d$/);
});

test("a mill is shown, and the man it takes", async ({ page }) => {
  const moves = ["d6", "f4", "d2", "b4", "b2", "d7"];
  await open(page, "#play", {
    play: {
      settings: weak.settings,
      human: "w",
      game: { rules: "nine", start: "", moves, ply: moves.length },
      left: [0, 0],
      outcome: null,
    },
  });
  await point(page, "f2").click();
  await expect(status(page)).toHaveText("You closed a mill: take a man");
  await expect(live(page)).toContainText("This closes a mill.");
  await expect(page.locator(".board-mills polyline")).toHaveCount(1);
  expect(await pointsWith(page, "can be taken")).toEqual(expect.arrayContaining(["f4", "b4", "d7"]));
  await point(page, "d7").click();
  await expect(live(page)).toContainText("White takes the man on d7.");
  await expect(page.getByRole("list", { name: "Moves of the game" })).toContainText("f2xd7");
});

test("screen readers hear the last move of a game and its result", async ({ page }) => {
  const start = "OO****O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
  const game = { rules: "nine", start, moves: [], ply: 0 };
  await open(page, "#play", {
    play: { settings: weak.settings, human: "w", game, left: [0, 0], outcome: null },
  });
  for (const name of ["c4", "c5", "d6"]) await point(page, name).click();
  await expect(live(page)).toHaveText("White takes the man on d6. You win: too few men are left");
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(start)}&moves=c4-c5`);
  await point(page, "d6").click();
  await expect(live(page)).toHaveText("White takes the man on d6. White wins: too few men are left");
});

test("a man is carried by the mouse, and chosen by touch", async ({ page, browser }) => {
  const fen = "O**O**O*/@**@**@*/********";
  const start = `${fen} w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes`;
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(start)}`);
  const from = (await point(page, "d5").boundingBox())!;
  const to = (await point(page, "a7").boundingBox())!;
  const centre = (box: typeof from) => [box.x + box.width / 2, box.y + box.height / 2] as const;
  await page.mouse.move(...centre(from));
  await page.mouse.down();
  await page.mouse.move(...centre(to), { steps: 8 });
  await page.mouse.up();
  await expect.poll(async () => (await men(page))["a7"]).toBe("white man");

  const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } });
  const phone = await context.newPage();
  await open(phone, `http://localhost:4173/#analyse?rules=nine&fen=${encodeURIComponent(start)}`);
  await point(phone, "d5").tap();
  await point(phone, "g1").tap();
  await expect.poll(async () => (await men(phone))["g1"]).toBe("white man");
  await context.close();
});

test("a man that is let go beyond the board stays where it was", async ({ page }) => {
  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await open(page, `#explore?rules=nine&fen=${encodeURIComponent(fen)}`);
  const from = (await point(page, "c4").boundingBox())!;
  const area = (await board(page).boundingBox())!;
  const held = page.locator(".man.held");
  const press = async () => {
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
  };
  // So fast that the board hears nothing of it.
  await press();
  await page.mouse.move(area.x - 60, area.y - 5);
  await page.mouse.up();
  await page.mouse.move(area.x + area.width * 0.3, area.y + area.height * 0.3, { steps: 5 });
  await expect(held).toHaveCount(0);
  // Carried and then let go outside.
  await press();
  await page.mouse.move(area.x + area.width * 0.4, area.y + area.height * 0.4, { steps: 5 });
  await expect(held).toHaveCount(1);
  await page.mouse.move(area.x - 60, area.y - 5, { steps: 5 });
  await page.mouse.up();
  await expect(held).toHaveCount(0);
  expect((await men(page))["c4"]).toBe("white man");
  // The next key counts.
  await point(page, "a7").focus();
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await men(page))["a7"]).toBe("white man");
});

test("a man that is carried is let go by Escape, and when another position is shown", async ({ page }) => {
  const fen = "O**O***O/@*@***@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 10 ids:nodes";
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(fen)}&moves=d5-a1_d6-g1`);
  const held = page.locator(".man.held");
  const press = async (key: string) => {
    await point(page, "a1").hover();
    await page.mouse.down();
    await point(page, "b6").hover();
    await expect(held).toHaveCount(1);
    await page.keyboard.press(key);
    await expect(held).toHaveCount(0);
    await point(page, "b2").hover();
    await expect(held).toHaveCount(0);
    await page.mouse.up();
    expect((await men(page))["b2"]).toBe("empty");
  };
  await press("Escape");
  await expect(live(page)).toHaveText("Choice dropped.");
  await press("PageUp");
  await expect(live(page)).toHaveText(/^Move 1 of 2/);
});

test("where men may be placed and moved, a chosen man places no other", async ({ page }) => {
  // Lasker Morris: White has a man on d6, Black one on f4.
  const legal = ["a1", "a4", "g7", "d6-d5", "d6-d7", "d6-b6"];
  expect(click(legal, null, "a1")).toEqual({ kind: "play", move: "a1" });
  expect(click(legal, "d6", "a1")).toEqual({ kind: "drop" });
  expect(click(legal, "d6", "d7")).toEqual({ kind: "play", move: "d6-d7" });

  await open(page, "#play", left("lasker", "d6 f4"));
  await expect(status(page)).toHaveText("Your turn: place or move a man");
  await point(page, "d6").click();
  await page.keyboard.press("Escape");
  await expect(live(page)).toHaveText("Choice dropped.");
  await expect(point(page, "d6")).not.toHaveAccessibleName(/chosen/);
  await point(page, "d6").click();
  await point(page, "a1").click();
  await expect(live(page)).toHaveText("Choice dropped.");
  expect((await men(page))["a1"]).toBe("empty");
  await point(page, "d6").dragTo(point(page, "g1"));
  await expect(live(page)).toHaveText("Choice dropped.");
  expect((await men(page))["g1"]).toBe("empty");
  await point(page, "a1").click();
  await expect.poll(async () => (await men(page))["a1"]).toBe("white man");
});

test("the question about resigning ends with its game", async ({ page }) => {
  await open(page, "#play", weak);
  await page.getByRole("button", { name: "Resign" }).click();
  await expect(page.getByRole("group", { name: /resign/ })).toBeVisible();
  await page.getByRole("button", { name: "Start the game" }).click();
  await expect(live(page)).toHaveText("Start of the game.");
  await expect(page.getByRole("group", { name: /resign/ })).toBeHidden();
  await expect(page.getByRole("button", { name: "Resign" })).toBeVisible();
});

test("an engine that breaks down while it thinks is started again", async ({ page }) => {
  await breakDown(page, 1);
  await open(page, "#play", weak);
  await point(page, "d6").click();
  await expect.poll(async () => Object.values(await men(page)).includes("black man")).toBe(true);
  await expect(status(page)).toHaveText(/Your turn/);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a second error of an engine that broke down does not end the one after it", async ({ page }) => {
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    let broken: Worker | null = null;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      post.call(this, message);
      if (!String(message).startsWith("go ") || broken === this) return;
      const dead = (broken ??= this);
      setTimeout(() => dead.dispatchEvent(new ErrorEvent("error", { message: "broken by the test" })));
    };
  });
  await open(page, "#play", weak);
  await point(page, "d6").click();
  await expect.poll(async () => Object.values(await men(page)).includes("black man")).toBe(true);
  await expect(page.getByTestId("stalled")).toHaveCount(0);
});

test("an engine that breaks down twice waits for a button, and nothing is lost", async ({ page }) => {
  await breakDown(page, 2);
  await open(page, "#play", weak);
  await point(page, "d6").click();
  await expect(page.getByTestId("stalled")).toContainText("failed twice");
  expect((await men(page))["d6"]).toBe("white man");
  await page.getByRole("button", { name: "Start the engine again" }).click();
  await expect.poll(async () => Object.values(await men(page)).includes("black man")).toBe(true);
  await expect(status(page)).toHaveText(/Your turn/);
  await expect(page.getByTestId("stalled")).toHaveCount(0);
});

/** A game of some rules in the middle, as an earlier visit has left it. */
const left = (rules: string, moves: string, human = "w") => ({
  play: {
    settings: { ...weak.settings, rules },
    human,
    game: { rules, start: "", moves: moves.split(" "), ply: moves.split(" ").length },
    left: [0, 0],
    outcome: null,
  },
});
/** El Filja up to the end of placing, where mills of both sides take. */
const PLACED = "c3 g7 c4 d1 d7 d6 f2 e3 d5 a4 e5 c5 b2 g4 d3 a1 d2 f4 a7 e4 g1 b4 b6 f6";

test("every turn has one increment, also where a side has two turns or takes one back", async ({ page }) => {
  // In Nerenchi Black, who places last, moves first.
  const moves =
    "c3 f6 b2 g7 e5 f4 g1 b4 d5 d7 c4 f2 xc4 a1 xf4 a7 xa1 c5 xg7 d2 d3 e3 e4 f4 xe5 d1 g7 xc3 c4";
  const { play } = left("nerenchi", moves, "b");
  const settings = { ...play.settings, clock: [1, 600] };
  await open(page, "#play", { play: { ...play, settings, left: [60_000, 60_000] } });
  const place = async () => {
    await point(page, "a1").click();
    await expect(status(page)).toHaveText("Your turn: move a man");
    await expect(page.getByTestId("clock-b")).toHaveText(/^1[01]:\d\d$/);
  };
  await place();
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(status(page)).toHaveText("Your turn: place a man");
  await place();
  // The reload does not know the turn that was taken back.
  await page.getByRole("button", { name: "Take back" }).click();
  await page.reload();
  await expect(status(page)).toHaveText("Your turn: place a man");
  await place();
});

test("the pause before a move of the engine takes no time from its clock", async ({ page }) => {
  await answerWith(page, ["bestmove f4"]);
  await open(page, "#play", { settings: { ...weak.settings, clock: [1, 0] } });
  await point(page, "d6").click();
  await expect.poll(async () => (await men(page))["f4"]).toBe("black man");
  const left = await page.evaluate(
    () => JSON.parse(localStorage.getItem("millstone.play")!).left as number[],
  );
  expect(left[1]).toBeGreaterThan(60_000 - 300);
});

test("the colour is left to chance where the reader wants that", async ({ page }) => {
  await page.addInitScript(() => (Math.random = () => 0.9));
  await open(page, "#play", { settings: { ...weak.settings, colour: "random" } });
  await expect(page.locator('.player[data-side="b"]')).toContainText("You");
  await expect.poll(async () => Object.values(await men(page)).includes("white man")).toBe(true);
});

test("a turn that is a take alone is taken back alone", async ({ page }) => {
  await open(page, "#play", left("el-filja", PLACED));
  await expect(status(page)).toHaveText("Your turn: take a man");
  await point(page, "e4").click();
  await expect(status(page)).toHaveText(/Your turn: move/);
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(status(page)).toHaveText("Your turn: take a man");
  expect((await men(page))["e4"]).toBe("black man");
  expect((await men(page))["b6"], "the turn before stays").toBe("white man");
});

test("a mill of the engine is not called the reader's", async ({ page }) => {
  const placed = "e5 g1 a4 d7 g4 b6 f4 c3 d2 c5 d6 f6 f2 b2 a1 a7 d3 g7 b4 e4 e3 d1 d5 c4";
  await open(page, "#play", left("el-filja", placed));
  await expect(status(page)).toHaveText("Your turn: take a man");
});

test("a side without mills is told to take its own man", async ({ page }) => {
  const placed = "d1 e3 b2 c4 f6 g4 d3 c3 a7 b6 d6 e5 g1 d5 b4 d2 e4 f4 f2 a4 g7 a1 c5 d7";
  await open(page, "#play", left("el-filja", placed));
  await expect(status(page)).toHaveText("Your turn: take one of your own men");
  await expect(point(page, "d1")).toHaveAccessibleName(/white man.*can be taken/);
  await page.goto(`#analyse?rules=el-filja&moves=${placed.replaceAll(" ", "_")}`);
  await page.getByRole("button", { name: "One move back" }).click();
  await page.getByRole("button", { name: "One move on" }).click();
  await expect(live(page)).toContainText("White takes one of its own men now.");
});

test("screen readers hear what a move has led to", { tag: "@long" }, async ({ page }) => {
  const say = async (moves: string, rules: string) => {
    await page.goto("about:blank");
    await open(page, `#analyse?rules=${rules}&moves=${moves.replaceAll(" ", "_")}`);
    await page.getByLabel("Analysis on").uncheck();
    await page.getByRole("button", { name: "One move back" }).click();
    await page.getByRole("button", { name: "One move on" }).click();
    return live(page);
  };
  // A mill that takes nothing yet, and the takes at the end of placing.
  const mill = await say("d6 a4 f6 a7 b6 g7", "el-filja");
  await page.getByRole("button", { name: "One move back" }).click();
  await expect(mill).toContainText("White places a man on b6. This closes a mill.");
  await expect(mill).not.toContainText("takes");
  await expect(await say(PLACED, "el-filja")).toContainText(
    "Black places a man on f6. White takes a man now.",
  );
  // Dooz: a man in hand is lost.
  await expect(await say("a1 d5 b2 a7 c5 a4 c4 d3 d1 c3 e4 d7 b4 d2 g4 e3", "dooz")).toContainText(
    "Black places a man on e3. This closes a mill. White loses a man in hand.",
  );
  // An intervention is no mill.
  const game =
    "b4 f4 a7 f6 d2 d3 c4 g1 e4 f2 xa7 c3 a4 c5 xf4 d6 a1 b6 xc4 d7 e5 c3-c4 e5-d5 e4-e3 g1-g4 d2-b2 d3-c3 b2-d2 c3-d3 " +
    "d2-d1 d5-e5 d1-d2 d6-d5 d2-d1 f2-g1 d7-a7 f6-d6 d1-d2 e5-f6 xc4 e3-f2 f6-f4 a7-d7 a4-a7 f2-e3 f4-f6 xe3 b4-c4 d5-e5 " +
    "d7-g7 g1-d1 a1-b2 d3-c3 d2-f2 a7-a4 c4-b4 d1-d2";
  const between = await say(game, "mul-mulan");
  await expect(between).toContainText(
    "Black moves from d1 to d2. The man stands between two men of the other side. Black takes 2 men now.",
  );
  await expect(between).not.toContainText("mill");
  // A line that goes over the end of the numbers of points: a7, d7, g7.
  await expect(await say("a7 d1 g7 d7", "mul-mulan")).toContainText(
    "Black places a man on d7. The man stands between two men of the other side. Black takes 2 men now.",
  );
});

test("on a phone a button leads to the settings of a new game", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "#play", weak);
  const button = page.getByRole("button", { name: "New game …" });
  await expect(button).toBeInViewport();
  await button.click();
  await expect(page.getByRole("combobox", { name: "Game" })).toBeInViewport();
  await page.getByRole("combobox", { name: "Game" }).selectOption("lasker");
  await page.getByRole("button", { name: "Start the game" }).click();
  await expect(point(page, "d6")).toBeInViewport();
  await expect(page.locator(".hand").first().locator("g")).not.toHaveCount(0);
});
