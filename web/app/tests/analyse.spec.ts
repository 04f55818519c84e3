import { readFile } from "node:fs/promises";
import { board, breakDown, expect, forgetFailedRequests, live, men, open, point, test } from "./support/page";

const MOVES = "d6_f4_d2_b4_b2_d7_f2_xd7";

test("lines, arrows, bar and graph of the engine are shown", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  await expect(page.locator(".lines li")).toHaveCount(3);
  await expect(page.locator(".arrows .arrow")).toHaveCount(3);
  await expect(page.getByRole("img", { name: /^Value(?: for White)?: ./ })).toBeVisible();
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
  // Whoever is to move: the winner is named, and nothing is said for Black.
  const won = "@**@**@*/O**O**O*/******** b m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
  await page.evaluate((text) => (location.hash = `analyse?rules=nine&fen=${encodeURIComponent(text)}`), won);
  await expect(page.getByTestId("verdict")).toHaveText("Black wins in 3 plies exact");
  await expect(page.getByRole("img", { name: "Value: Black wins in 3 plies" })).toBeVisible();
  await expect(page.locator(".lines .badge.exact").first()).toHaveText(/^Black wins in \d+ plies$/);
  await expect(page.locator(".lines .badge.exact").first()).toHaveClass(/ loss$/);
  await page.getByLabel("Show whole lines").check();
  const isCut = (lines: Element[]) => lines.some((line) => line.scrollWidth > line.clientWidth);
  expect(await page.locator(".pv").evaluateAll(isCut)).toBe(false);
  // Tablebases cannot hold values of Russian Mill.
  await page.getByRole("combobox", { name: "Game" }).selectOption("russian");
  await expect(page.getByTestId("verdict")).toContainText("search");
  await expect(page.locator(".lines .badge.search")).toHaveCount(3);
});

test("rules without a name of their own have exact values too, and new boards", async ({ page }) => {
  for (const rules of ["nine,NMoveRule=60", "nine,PiecesCount=10"]) {
    await page.goto("about:blank");
    await open(page, `#analyse?rules=${rules}&moves=d6_f4`);
    await expect(page.getByTestId("verdict")).toHaveText("Draw exact");
    await expect(page.locator(".lines .badge.exact")).not.toHaveCount(0);
    await page.getByRole("button", { name: "New board" }).click();
    const link = await page.getByTestId("link").inputValue();
    expect(decodeURIComponent(link)).toMatch(new RegExp(`#analyse\\?rules=${rules}$`));
    await page.getByLabel("Position or game").fill("d6 f4 d2");
    await page.getByRole("button", { name: "Load the text" }).click();
    await expect(page.getByTestId("verdict")).toHaveText("Draw exact");
    const loaded = await page.getByTestId("link").inputValue();
    expect(decodeURIComponent(loaded)).toContain(`#analyse?rules=${rules}&moves=d6_f4_d2`);
  }
});

test("placings bear the ranks of their lines, and a mill shows its take", async ({ page }) => {
  await open(page, "#analyse?rules=nine&moves=d6_f4_d2_b4_f2_b2_f6");
  await expect(page.locator(".arrow-rank")).toHaveText(["3", "2", "1"]);
  await expect(page.locator(".arrow-best .arrow-cross")).toHaveCount(1);
});

test("takes of the other side behind the last placing are not shown as the mover's", async ({ page }) => {
  // Black places its last man; then White takes one of its own men, and Black one of its own.
  const fen = "O@O@O@O@/@O@O@O@O/O@O@O@O* b p p 12 0 11 1 0 0 -1 -1 -1 -1 0 0 12 ids:nodes";
  await open(page, `#analyse?rules=el-filja&fen=${encodeURIComponent(fen)}`);
  await expect(page.locator(".lines .pv")).toHaveText(/^a7 x\w\w x\w\w \w\w-\w\w /);
  await expect(page.locator(".arrows .arrow")).toHaveCount(1);
  await expect(page.locator(".arrow-spot")).toHaveCount(1);
});

test("positions and games in all four forms, and moves as people write them, are read", async ({ page }) => {
  await open(page, "#analyse");
  const load = async (text: string) => {
    await page.getByLabel("Position or game").fill(text);
    await page.getByRole("button", { name: "Load the text" }).click();
  };
  const forms = {
    common:
      '[Event "Example"]\n[Result "*"]\n[Variant "Nine Men\'s Morris"]\n\n1. d7 a1 2. g7 d1 3. a7xa1 f4 *\n',
    playok: '[Site "PlayOK"]\n\n1. 2 22 2. 3 23 3. 1x22 14\n',
    goldtoken:
      "1\tPlace to d7\tPlace to a1\n2\tPlace to g7\tPlace to d1\n3\tPlace to a7, take a1\tPlace to f4\n",
    tokens: "d7 a1 g7 d1 a7 xa1 f4",
    commas: "d7, a1, g7, d1, a7xa1, f4",
    lines: "d7\na1\ng7\nd1\na7xa1\nf4\n",
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

test("a record of unknown rules is opened with a note, one of rules as options without", async ({ page }) => {
  await open(page, "#analyse");
  const load = async (text: string) => {
    await page.getByLabel("Position or game").fill(text);
    await page.getByRole("button", { name: "Load the text" }).click();
  };
  await load('[Variant "Foo"]\n\n1. d6 f4 *\n');
  const note = page.getByTestId("game-note");
  await expect(note).toHaveText(
    "Read differently from what it says: line 1: unknown Variant 'Foo': read as nine",
  );
  await expect.poll(async () => (await men(page))["f4"]).toBe("black man");
  await load('[Variant "nine,MayFly=false"]\n\n1. a1 *\n');
  await expect.poll(async () => (await men(page))["a1"]).toBe("white man");
  await expect(note).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Game" })).toHaveValue("custom");
  await expect(page.locator('option[value="custom"]')).toHaveText("Other rules");
  await load('[Variant "Foo"]\n\n1. d6 *\n\n'.repeat(12));
  await expect(note).toHaveCount(10);
  await expect(page.getByTestId("gamelist")).toContainText("… and 2 more");
});

test("a link to the page and the command of a position are read like records", async ({ page }) => {
  await open(page, "#analyse");
  const list = page.getByRole("list", { name: "Moves of the game" });
  const start = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  const long = `https://example.org/mill/#analyse?game=${encodeURIComponent(`1. d6 {${"a word ".repeat(4_000)}} b6 *`)}`;
  for (const [text, move] of [
    ["https://example.org/mill/#analyse?rules=nine&moves=d6_f4&ply=1", "f4"],
    ["position startpos moves d2 b4", "b4"],
    [` position fen ${start} moves d5-a1`, "d5-a1"],
    [long, "b6"],
  ] as const) {
    await page.getByLabel("Position or game").fill(text);
    const button = page.getByRole("button", { name: "Load the text" });
    if (await button.isEnabled()) await button.click();
    await expect(list).toContainText(move);
  }
  await page.getByLabel("Position or game").fill("position startpos");
  await page.getByRole("button", { name: "Load the text" }).click();
  await expect(page.getByText("No moves yet.")).toBeVisible();
  await page.getByLabel("Position or game").fill("https://example.org/mill/#explore?moves=d6_d6");
  await page.getByRole("button", { name: "Load the text" }).click();
  await expect(page.getByTestId("open-note")).toContainText("A move is not legal.");
});

test("a file may be dropped on the board", async ({ page }) => {
  await open(page, "#play");
  const drop = () =>
    board(page).evaluate((target) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["d6 f4 d2"], "game.txt"));
      const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
      target.dispatchEvent(event);
      return event.defaultPrevented;
    });
  // Where no games are read the page at least stays.
  expect(await drop()).toBe(true);
  for (const part of ["Analyse", "Explore"]) {
    await page.getByRole("link", { name: part }).click();
    expect(await drop()).toBe(true);
    await expect(page.getByTestId("open-note")).toHaveText("Opened: game.txt");
    await expect.poll(async () => (await men(page))["d2"]).toBe("white man");
    await page.getByRole("button", { name: "New board" }).click();
  }
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
  await page.evaluate(() => (HTMLCanvasElement.prototype.toBlob = (done) => done(null)));
  await page.getByRole("button", { name: "Board as PNG" }).click();
  await expect(page.getByTestId("no-picture")).toHaveText("The browser could not draw the picture.");
});

test("a text that the browser does not let the page copy is selected", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  const field = page.getByTestId("to-copy");
  const selected = () =>
    field.evaluate(
      (input: HTMLInputElement) =>
        input === document.activeElement && input.value.slice(input.selectionStart!, input.selectionEnd!),
    );
  const copy = async () => {
    await page.getByRole("button", { name: "Copy a link" }).click();
    await expect(page.getByText("The browser does not let this page copy.")).toBeVisible();
    await expect.poll(selected).toBe(await page.getByTestId("link").inputValue());
    await page.getByRole("button", { name: "Copy the position" }).click();
    await expect.poll(selected).toMatch(/ [wb] [mp] /);
    await expect(page.getByText("Copied.", { exact: true })).toHaveCount(0);
  };
  // As on a page from http://.
  await page.evaluate(() =>
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }),
  );
  await copy();
  const refuse = () =>
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: () => Promise.reject(new DOMException("no", "NotAllowedError")) },
      configurable: true,
    });
  await page.evaluate(refuse);
  await copy();
  await page.evaluate(() =>
    Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.resolve() } }),
  );
  await page.getByRole("button", { name: "Copy a link" }).click();
  await expect(page.getByText("Copied.", { exact: true }).first()).toBeVisible();
  await expect(field).toHaveCount(0);
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
  await expect(board(page)).toHaveAccessibleDescription(/^Arrow keys go from point to point/);
  await page.getByRole("button", { name: "f4", exact: true }).click();
  await expect(point(page, "f2")).toHaveAccessibleName(/empty/);
});

test("a list that can be scrolled keeps the keys that scroll it", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 480 });
  await open(page, `#analyse?rules=nine&moves=${"d6 f4 d2 b4 g1 a7 g7 a1 e3 c5".replaceAll(" ", "_")}`);
  await page.getByLabel("Analysis on").uncheck();
  const list = page.getByRole("list", { name: "Moves of the game" });
  await list.evaluate((element) => (element.style.maxHeight = "4rem"));
  await list.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBe(0);
  await page.keyboard.press("PageDown");
  await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  expect((await men(page))["c5"]).toBe("black man");
});

test("a click on the graph goes to the position that it shows there", async ({ page }) => {
  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  const moves = "d5-a1_d6-g1_a1-d5_g1-d6_".repeat(15);
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(fen)}&moves=${moves}&ply=58`);
  await page.getByLabel("Analysis on").uncheck();
  const graph = page.locator(".graph");
  const x = (await page.locator(".graph-now").boundingBox())!.x - (await graph.boundingBox())!.x;
  await page.getByRole("button", { name: "To the start" }).click();
  await expect(live(page)).toContainText("Move 0 of 60.");
  await graph.click({ position: { x, y: 20 } });
  await expect(live(page)).toContainText("Move 58 of 60.");
});

test(
  "a game with rules of its own that is too long for a link is linked by its moves",
  { tag: "@long" },
  async ({ page, context }) => {
    await open(page, "#analyse");
    await page.getByLabel("Analysis on").uncheck();
    const text = `[Variant "nine,MayFly=false"]\n\n1. a1 {${"a long comment ".repeat(8_000)}} d6 *\n`;
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "long.pgn", mimeType: "text/plain", buffer: Buffer.from(text) });
    await expect(page.getByText("The link holds the moves alone.")).toBeVisible();
    const link = await page.getByTestId("link").inputValue();
    const other = await context.newPage();
    await open(other, link);
    await expect(other.getByRole("combobox", { name: "Game" })).toHaveValue("custom");
    expect((await men(other))["d6"]).toBe("black man");
    // The rules are those of the record.
    expect(await other.getByTestId("link").inputValue()).toContain("nine%2CMayFly%3Dfalse");
  },
);

test("a value that is exact under some rules is not taken for others", async ({ page }) => {
  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await open(page, `#analyse?rules=nine&fen=${encodeURIComponent(fen)}`);
  await expect(page.getByTestId("verdict")).toContainText("exact");
  await page.evaluate(
    (text) => (location.hash = `#analyse?rules=cheng-san-qi&fen=${text}`),
    encodeURIComponent(fen),
  );
  await expect(page.getByTestId("verdict")).not.toContainText("exact");
  await page.evaluate((text) => (location.hash = `#analyse?rules=nine&fen=${text}`), encodeURIComponent(fen));
  await expect(page.getByTestId("verdict")).toContainText("exact");
});

test("a finished position without a named winner is no draw", async ({ page }) => {
  const over = (board: string, men: string) => `${board} w o s ${men} 0 0 -1 -1 -1 -1 0 0 1 ids:nodes`;
  const show = async (fen: string, rules = "nine") => {
    await page.goto("about:blank");
    await open(page, `#analyse?rules=${rules}&fen=${encodeURIComponent(fen)}`);
  };
  await show(over("O**O****/@**@**@*/********", "2 0 3 0"));
  await expect(page.getByTestId("verdict")).toContainText("Black wins exact");
  await expect(page.locator(".status.over")).toContainText("Black wins");
  await show(over("O**O**O*/@**@**@*/********", "3 0 3 0"));
  await expect(page.locator(".status.over")).toHaveText("The game is over");
  await expect(page.getByTestId("verdict")).not.toContainText("Draw");
  await expect(page.locator(".graph-point")).toHaveCount(0);
  // Here three men are too few.
  await show(over("O**O**O*/@**@**@*/@*******", "3 0 4 0"), "nine,PiecesAtLeastCount=4");
  await expect(page.locator(".status.over")).toContainText("Black wins");
});

test("a position without a move is not thought about", async ({ page }) => {
  const fen = "********/*****@**/O*OO***O w p p 4 8 1 6 0 0 -1 -1 -1 -1 0 0 6 ids:nodes";
  await open(page, `#analyse?rules=da-san-qi&fen=${encodeURIComponent(fen)}&moves=g7_xb2`);
  await expect(page.getByText("No move is left.")).toBeVisible();
  await expect(page.getByTestId("verdict")).toHaveText("–");
  await expect(page.getByText("Thinking")).toHaveCount(0);
});

test("a link may hold question marks", async ({ page }) => {
  await open(page, "#analyse?game=1.%20d6?%20f4%20{why?}%20*");
  await expect(page.getByRole("list", { name: "Moves of the game" })).toContainText("f4");
  await expect(page.getByTestId("recorded")).toHaveText("why?");
});

test("a link that is too long is refused", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${"d6_".repeat(40_000)}`);
  await expect(page.getByRole("alert")).toContainText("too large (121 KB; at most 100 KB)");
});

test("an analysis whose engine breaks down starts again, and says so if that fails too", async ({ page }) => {
  await breakDown(page, 1);
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  await expect(page.locator(".lines li")).toHaveCount(3);
  await page.evaluate(() => sessionStorage.setItem("failures", "2"));
  await page.getByRole("button", { name: "To the start" }).click();
  await expect(page.getByTestId("stalled")).toContainText("failed twice");
  await page.getByRole("button", { name: "Start the engine again" }).click();
  await expect(page.locator(".lines li")).toHaveCount(3);
  await expect(page.getByTestId("stalled")).toHaveCount(0);
});

test("an engine that breaks down each time is not started for ever", async ({ page }) => {
  await page.addInitScript(() => {
    const known = new WeakSet<Worker>();
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      post.call(this, message);
      if (known.has(this)) return;
      known.add(this);
      // Once it has found something that the page has shown.
      this.addEventListener("message", ({ data }) => {
        if (!String(data).startsWith("info depth 5 ")) return;
        setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { message: "broken by the test" })), 100);
      });
    };
  });
  await open(page, "#analyse");
  await expect(page.getByTestId("stalled")).toContainText("failed twice");
});

const RECORD = `[White "Ada <b>L</b>"]
[Black "Bob"]
[Result "0-1"]
[Variant "Nine Men's Morris"]

1. d6 f4 2. d2 b4 {a good point} 0-1
`;

test("players, comments and result outlive a reload, a link and a file", async ({ page, context }) => {
  await open(page, "#analyse");
  await page.getByLabel("Position or game").fill(RECORD);
  await page.getByRole("button", { name: "Load the text" }).click();
  const check = async (shown: typeof page) => {
    await expect(shown.locator('.player[data-side="w"]')).toContainText("Ada <b>L</b>");
    await expect(shown.locator('.player[data-side="b"]')).toContainText("Bob");
    await expect(shown.getByTestId("recorded")).toContainText("a good point");
    await expect(shown.getByTestId("recorded")).toContainText("The record says: Black wins.");
    const [download] = await Promise.all([
      shown.waitForEvent("download"),
      shown.getByRole("button", { name: "Game as text" }).click(),
    ]);
    const text = (await readFile(await download.path())).toString();
    for (const part of ['[White "Ada <b>L</b>"]', '[Black "Bob"]', '[Result "0-1"]', "{a good point}"])
      expect(text).toContain(part);
  };
  await check(page);
  await page.reload();
  await check(page);
  const link = await page.getByTestId("link").inputValue();
  const other = await context.newPage();
  await other.addInitScript(() => localStorage.clear());
  await open(other, link);
  await check(other);
  await other.close();

  // A record that no link can hold: the link has the moves, the file everything.
  await page.getByLabel("Position or game").fill(RECORD);
  const long = RECORD.replace("a good point", "word ".repeat(25_000));
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "long.pgn", mimeType: "text/plain", buffer: Buffer.from(long) });
  await expect(page.getByText("The link holds the moves alone.")).toBeVisible();
  expect((await page.getByTestId("link").inputValue()).length).toBeLessThan(300);
});

test("comments before the first move are shown at the start", async ({ page }) => {
  await open(page, `#analyse?ply=0&game=${encodeURIComponent("{Played in a park} 1. d6 {good} f4 *")}`);
  const recorded = page.getByTestId("recorded");
  await expect(recorded).toHaveText("Played in a park");
  await page.getByRole("button", { name: "One move on" }).click();
  await expect(recorded).toHaveText("good");
  await page.getByRole("button", { name: "One move on" }).click();
  await expect(recorded).toHaveCount(0);
});

test("of many games, read in a worker, one is chosen, and broken ones are named", async ({ page }) => {
  test.setTimeout(90_000);
  await open(page, "#analyse");
  await page.getByLabel("Analysis on").uncheck();
  const game = (n: number) =>
    `[White "White ${n}"]\n[Black "Black ${n}"]\n[Result "*"]\n\n` +
    `1. d6 ${n === 7 ? "d6" : "f4"} 2. d2 b4 3. b2 d7 4. f2xd7 a1 ${`{${"a long comment ".repeat(40)}}`} *\n\n`;
  let text = "";
  for (let n = 1; text.length < 900_000; n++) text += game(n);
  expect(text.length).toBeLessThan(1_000_000);
  const threads: string[] = [];
  page.on("worker", (worker) => threads.push(worker.url()));
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "many.pgn", mimeType: "text/plain", buffer: Buffer.from(text) });
  const list = page.getByTestId("gamelist");
  await expect(list.getByRole("listitem")).toHaveCount(100, { timeout: 60_000 });
  expect(threads.length, "it was read in a worker").toBeGreaterThan(0);
  await expect(page.getByTestId("game-fault")).toHaveText(
    /^Game 7 cannot be read \(line \d+\)\. Detail: illegal move 'd6', expected one of/,
  );
  await expect(list.getByRole("button", { name: "White 7 – Black 7" })).toHaveCount(0);
  await list.getByRole("button", { name: "White 8 – Black 8" }).click();
  await expect(page.locator('.player[data-side="w"]')).toContainText("White 8");
  await expect.poll(async () => (await men(page))["a1"]).toBe("black man");
  await list.getByRole("button", { name: "White 9 – Black 9" }).click();
  await expect(page.locator('.player[data-side="b"]')).toContainText("Black 9");
  await page.getByRole("button", { name: "Show more games" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(200);
  await expect(list.getByRole("listitem").nth(100).getByRole("button")).toBeFocused();

  // A few games are read at once.
  await page.getByLabel("Position or game").fill("d6 f4\nd6 d6\na1 a4 a7");
  await page.getByRole("button", { name: "Load the text" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await expect(page.getByTestId("game-fault")).toContainText("Game 2 cannot be read (line 2)");
  await list.getByRole("button", { name: "Game 3" }).click();
  await expect.poll(async () => (await men(page))["a7"]).toBe("white man");
  // Records write "?" for players they do not know.
  const named = (white: string) => `[White "${white}"]\n[Black "?"]\n\n1. d6 f4 *\n\n`;
  await page.getByLabel("Position or game").fill(named("?") + named("Ada"));
  await page.getByRole("button", { name: "Load the text" }).click();
  await expect(list.getByRole("button")).toHaveText([/^1Game 1/, /^2Ada – –/]);
});

test(
  "a file in an older encoding is read, and the answer about an older file is not shown",
  { tag: "@long" },
  async ({ page }) => {
    await open(page, "#analyse");
    const file = (name: string, buffer: Buffer) =>
      page.locator('input[type="file"]').setInputFiles({ name, mimeType: "text/plain", buffer });
    await file("latin.pgn", Buffer.from('[White "J\u00fcrgen"]\n\n1. d6 f4 *\n', "latin1"));
    await expect(page.locator('.player[data-side="w"]')).toContainText("J\u00fcrgen");
    await file("wide.txt", Buffer.from("\ufeffd6 f4 d2", "utf16le"));
    await expect.poll(async () => (await men(page))["d2"]).toBe("white man");

    const note = page.getByTestId("open-note");
    // The engine's worker may start later than a short text is read.
    await expect.poll(() => page.workers().length).toBe(1);
    const started = page.waitForEvent("worker");
    await file("many.txt", Buffer.alloc(400_000, "d6 f4 d2 b4\n"));
    const reader = await started;
    const ended = new Promise((done) => reader.once("close", done));
    await file("huge.txt", Buffer.alloc(1_100_000, "d6 f4 d2 b4\n"));
    await expect(note).toContainText("too large");
    await ended;
    await expect(page.getByTestId("gamelist")).toHaveCount(0);
    await expect(note).toContainText("too large");
  },
);

test("a long text that is still being read takes the place of no newer game", async ({ page }) => {
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      // The texts to read are objects, those for the engine are lines.
      if (typeof message === "string") post.call(this, message);
      else Object.assign(window, { read: () => post.call(this, message) });
    };
  });
  await open(page, "#analyse");
  // The engine's worker may start later than the page.
  await expect.poll(() => page.workers().length).toBe(1);
  await page.getByLabel("Analysis on").uncheck();
  const note = page.getByTestId("open-note");
  for (const goOn of [
    () => point(page, "d6").click(),
    () => page.locator('.modes a[href="#explore"]').click(),
  ]) {
    const started = page.waitForEvent("worker");
    const buffer = Buffer.from(`1. a1 {${"long ".repeat(10_000)}} *`);
    await page.locator('input[type="file"]').setInputFiles({ name: "a.pgn", mimeType: "text/plain", buffer });
    await expect(note).toBeVisible();
    const reader = await started;
    const ended = new Promise((done) => reader.once("close", done));
    await goOn();
    await page.waitForFunction(() => "read" in window);
    await page.evaluate(() => (window as unknown as { read: () => void }).read());
    await ended;
    await expect(note).toHaveCount(0);
    expect(await men(page)).toMatchObject({ d6: "white man", a1: "empty" });
  }
});

test("the message about a bad link goes when the reader goes on", async ({ page }) => {
  await open(page, "#analyse?rules=nine&moves=d6_d6");
  await expect(page.getByTestId("bad-link")).toContainText("A move is not legal.");
  await point(page, "d6").click();
  await expect(page.getByTestId("bad-link")).toHaveCount(0);
});

test("keys with Ctrl, Meta or Alt are left to the browser", async ({ page }) => {
  await open(page, `#analyse?rules=nine&moves=${MOVES}`);
  await board(page).locator('.point[tabindex="0"]').focus();
  await page.evaluate(() => {
    const global = window as unknown as { taken: string[] };
    global.taken = [];
    addEventListener("keydown", (event) => {
      if (event.defaultPrevented) global.taken.push(event.key);
      event.preventDefault();
    });
  });
  for (const with_ of ["Control", "Alt", "Meta"])
    for (const key of ["Home", "End", "PageUp", "PageDown", "ArrowLeft"])
      await page.keyboard.press(`${with_}+${key}`);
  const taken = () => page.evaluate(() => (window as unknown as { taken: string[] }).taken);
  expect(await taken()).toEqual([]);
  await expect(point(page, "f2")).toHaveAccessibleName(/white man/);
  await page.keyboard.press("Home");
  expect(await taken()).toEqual(["Home"]);
  expect(new Set(Object.values(await men(page)))).toEqual(new Set(["empty"]));
});

test("details that only the library knows are marked as English on the German page", async ({ page }) => {
  await open(page, "#analyse?rules=nine&moves=d6_d6", { prefs: { theme: "light", language: "de" } });
  await expect(page.getByTestId("bad-link")).toContainText(
    "Der Link lässt sich nicht lesen: Ein Zug ist nicht erlaubt. Einzelheit (englisch): ",
  );
  await expect(page.getByTestId("bad-link").locator('[lang="en"]')).toContainText("d6");
  await page.getByLabel("Stellung oder Partie").fill("d6 d6");
  await page.getByRole("button", { name: "Text laden" }).click();
  await expect(page.getByTestId("open-note")).toContainText(
    "Das lässt sich nicht lesen (Zeile 1). Einzelheit (englisch): ",
  );
  await expect(page.getByTestId("open-note").locator('[lang="en"]')).toContainText("illegal move 'd6'");
  // What is shown already changes with the language.
  await expect(page.getByTestId("verdict")).toHaveText("Remis genau", { timeout: 30_000 });
  await page.getByLabel("Analyse an").uncheck();
  await page.getByLabel("Sprache").selectOption("en");
  await expect(page.getByTestId("bad-link")).toContainText("The link cannot be read: A move is not legal.");
  await expect(page.getByTestId("open-note")).toContainText("This cannot be read (line 1). Detail: ");
  await expect(page.getByTestId("verdict")).toHaveText("Draw exact");
});

test("a message is in the language of the page, even if that is loaded last", async ({ page }) => {
  await page.route("**/assets/de-*.js", async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.continue();
  });
  await open(page, "#analyse?rules=nine&moves=d6_d6", { prefs: { theme: "light", language: "de" } });
  await expect(page.getByTestId("bad-link")).toContainText(
    "Der Link lässt sich nicht lesen: Ein Zug ist nicht erlaubt.",
  );
});

test("the page works in English if another language cannot be loaded", async ({ page, faults }) => {
  await page.route("**/assets/de-*.js", (route) => route.abort());
  await open(page, "#play", { prefs: { theme: "light", language: "de" } });
  await expect(page.getByRole("heading", { name: "New game" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  forgetFailedRequests(faults);
});
