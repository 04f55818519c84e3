import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { RangeServer, type Trouble } from "./support/range-server";
import { expect, forgetFailedRequests, live, men, open, test, watch } from "./support/page";
import { positions, tables, truth, type Truth } from "./support/tables";

const WORDS = { W: "win", D: "draw", L: "loss" } as const;

/** What the page says about a position: its value and that of each move, or a message. */
interface Said {
  value: string | null;
  moves: Record<string, { value: string; plies: string; replies: string }>;
  fault: string | null;
  notes: string[];
}

/** Waits for the answer of the explorer and reads it. */
async function said(page: Page): Promise<Said> {
  await expect(page.getByTestId("value").or(page.getByTestId("fault"))).toBeVisible({ timeout: 60_000 });
  return page.evaluate(() => {
    const moves: Said["moves"] = {};
    for (const group of document.querySelectorAll(".probe .group"))
      for (const row of group.querySelectorAll("tr:not(.group-title)")) {
        const [move, plies, replies] = [...row.querySelectorAll("td")].map((cell) => cell.textContent!);
        moves[move!] = { value: group.className.replace("group ", ""), plies: plies!, replies: replies! };
      }
    const text = (id: string) => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? null;
    const notes = [...document.querySelectorAll('[data-testid="note"]')].map((note) => note.textContent!);
    return { value: text("value"), moves, fault: text("fault"), notes };
  });
}

/** Empties the cache of blocks. */
const forget = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (const name of await caches.keys()) if (name.includes("tables")) await caches.delete(name);
  });

/**
 * Waits until Cache Storage holds what was fetched. The page puts it there in an idle moment, block by block.
 * The host does not know how many there will be: the page gives up late answers that it does not need.
 */
async function isKept(page: Page): Promise<void> {
  let count = 0;
  await expect(async () => {
    const before = count;
    count = await page.evaluate(async () => {
      // The page has asked for its idle moment before.
      await new Promise((idle) => requestIdleCallback(idle, { timeout: 3000 }));
      return (await (await caches.open("millstone-tables")).keys()).length;
    });
    expect(count, "blocks that are kept").toBeGreaterThan(0);
    expect(count, "blocks that are kept, after those of a second ago").toBe(before);
  }).toPass({ intervals: [1000], timeout: 30_000 });
}

/**
 * Compares what the page says with the native program. What is unknown may be unknown, nothing may be wrong.
 */
function compare(page: Said, native: Truth): number {
  if (page.fault !== null) {
    expect(page.fault.length, "a message").toBeGreaterThan(20);
    return 0;
  }
  let known = 0;
  for (const [move, { value, plies, replies }] of Object.entries(page.moves)) {
    const real = native.moves.find((candidate) => candidate.move === move);
    expect(real, `${native.fen}: ${move} is a move`).toBeDefined();
    if (value === "unknown") continue;
    known++;
    expect(value, `${native.fen}: ${move}`).toBe(WORDS[real!.value]);
    if (plies !== "–") expect(plies, `${native.fen}: plies of ${move}`).toBe(String(real!.plies));
    if (replies !== "–")
      expect(replies, `${native.fen}: replies to ${move}`).toBe(String(real!.drawing_replies));
  }
  if (page.value && !page.value.endsWith("unknown")) {
    expect(page.value).toContain(WORDS[native.value]);
    const plies = /in (\d+)$/.exec(page.value);
    if (plies) expect(Number(plies[1])).toBe(native.plies);
  }
  return known;
}

const at = (fen: string): string => `#explore?rules=nine&fen=${encodeURIComponent(fen)}`;

const show = async (page: Page, fen: string): Promise<void> => {
  await page.evaluate((text) => (location.hash = `explore?rules=nine&fen=${encodeURIComponent(text)}`), fen);
  await expect(page.locator("[data-fen]")).toHaveAttribute(
    "data-fen",
    new RegExp(`^${fen.slice(0, 26).replaceAll("*", "\\*")} ${fen[27]} `),
  );
};

test.describe("a folder on a web server", () => {
  let folder = "";
  let server: RangeServer;
  test.beforeAll(() => {
    folder = tables();
  });
  test.beforeEach(async () => {
    server = await RangeServer.start({ folder });
  });
  test.afterEach(() => server.stop());

  test("says what the native program says, and asks for little", async ({ context, faults }) => {
    const fens = positions(12);
    const natives = truth(folder, fens);
    for (const [i, fen] of fens.entries()) {
      server.requests = 0;
      server.bytes = 0;
      // Each position in a page of its own: nothing is known of the files yet.
      const fresh = await context.newPage();
      watch(fresh, faults);
      await open(fresh, at(fen), { folder: server.url });
      const answer = await said(fresh);
      expect(answer.fault).toBeNull();
      expect(compare(answer, natives[i]!)).toBe(natives[i]!.moves.length);
      expect(server.requests, "requests of one position").toBeLessThanOrEqual(10);
      expect(server.bytes, "bytes of one position").toBeLessThanOrEqual(200_000);
      await expect(fresh.getByTestId("cost")).toHaveText(/^Fetched [\d.,]+ KB in \d+ requests/);
      await forget(fresh);
      await fresh.close();
    }
  });

  test("asks the host at once for the position of a new address", async ({ page }) => {
    const [fen, other] = positions(2);
    await open(page, at(fen!), { folder: server.url });
    await said(page);
    const asked = await page.evaluate((address) => {
      let count = 0;
      const { fetch } = window;
      window.fetch = (...how) => {
        count++;
        return fetch(...how);
      };
      location.hash = address;
      // Not a moment later: nothing else has had its turn.
      const now = count;
      window.fetch = fetch;
      return now;
    }, at(other!));
    expect(asked).toBeGreaterThan(0);
    compare(await said(page), truth(folder, [other!])[0]!);
  });

  test("asks for nothing twice, not even after a reload", async ({ page }) => {
    const [fen] = positions(1);
    await open(page, at(fen!), { folder: server.url });
    await said(page);
    const rest = page.getByRole("button", { name: "Look up the rest" });
    if (await rest.isVisible()) await rest.click();
    await expect(rest).toBeHidden();
    await said(page);
    const before = [...server.log];
    expect(before.length).toBeGreaterThan(0);
    await isKept(page);
    await page.reload();
    const again = await said(page);
    expect(again.fault).toBeNull();
    expect(server.log.slice(before.length)).toEqual([]);
    await expect(page.getByTestId("cost")).toHaveText(/^Nothing had to be fetched/);
  });

  test("keeps blocks in Cache Storage, and fetches what is damaged there anew", async ({ page }) => {
    const [fen] = positions(1);
    const [native] = truth(folder, [fen!]);
    await open(page, at(fen!), { folder: server.url });
    expect(compare(await said(page), native!)).toBe(native!.moves.length);
    await isKept(page);
    const damaged = await page.evaluate(async () => {
      const cache = await caches.open("millstone-tables");
      const keys = await cache.keys();
      for (const key of keys) {
        const response = (await cache.match(key))!;
        const bytes = new Uint8Array(await response.arrayBuffer());
        bytes[bytes.length >> 1]! ^= 16;
        await cache.put(key, new Response(bytes, { headers: response.headers }));
      }
      return keys.length;
    });
    expect(damaged).toBeGreaterThan(2);
    server.requests = 0;
    await page.reload();
    expect(compare(await said(page), native!)).toBe(native!.moves.length);
    expect(server.requests, "the damaged blocks").toBeGreaterThan(0);
  });

  test("what is too dear is left out until it is asked for", async ({ page }) => {
    const fen = "**O****O/*@*O@***/*OO*@@** w m s 5 0 4 0 0 0 -1 -1 -1 -1 0 0 15 ids:nodes";
    const [native] = truth(folder, [fen]);
    await open(page, at(fen), { folder: server.url });
    const cold = await said(page);
    expect(compare(cold, native!)).toBe(native!.moves.length);
    const unknown = Object.values(cold.moves).filter(
      ({ value, replies }) => value === "draw" && replies === "–",
    );
    expect(unknown.length).toBeGreaterThan(0);
    const rest = page.getByRole("button", { name: "Look up the rest" });
    await rest.click();
    await expect(rest).toBeHidden();
    const whole = await said(page);
    expect(compare(whole, native!)).toBe(native!.moves.length);
    expect(
      Object.values(whole.moves).filter(({ value, replies }) => value === "draw" && replies === "–"),
    ).toEqual([]);
  });

  test(
    "with 2 % of the requests failing, cut off or late, nothing wrong is shown",
    { tag: "@long" },
    async ({ page, faults }) => {
      test.setTimeout(150_000);
      const kinds: readonly Trouble[] = ["fail", "truncate", "late", "drop"];
      server.options.trouble = (n) => (n % 50 === 3 ? kinds[Math.floor(n / 50) % kinds.length]! : null);
      await checkAll(page, 30, 29);
      forgetFailedRequests(faults);
    },
  );

  test(
    "with every third request failing or cut off, nothing wrong is shown",
    { tag: "@long" },
    async ({ page, faults }) => {
      test.setTimeout(150_000);
      server.options.trouble = (n) => (n % 3 === 0 ? "fail" : n % 7 === 0 ? "truncate" : null);
      await checkAll(page, 15, 8);
      forgetFailedRequests(faults);
    },
  );

  /** Compares so many positions; at least `known` of them have to be answered in spite of the trouble. */
  async function checkAll(page: Page, count: number, known: number): Promise<void> {
    const fens = positions(count);
    const natives = truth(folder, fens);
    await open(page, at(fens[0]!), { folder: server.url });
    // Without the cache every position costs requests.
    let answered = 0;
    for (const [i, fen] of fens.entries()) {
      await forget(page);
      if (i % 5 === 4) await page.reload();
      await show(page, fen);
      if (compare(await said(page), natives[i]!) > 0) answered++;
    }
    expect(server.troubles, "the server has made trouble").toBeGreaterThan(0);
    expect(answered).toBeGreaterThanOrEqual(known);
  }

  test("a flipped bit never becomes a wrong value", { tag: "@long" }, async ({ page, faults }) => {
    test.setTimeout(120_000);
    const fens = positions(12);
    const natives = truth(folder, fens);
    let named = 0;
    await open(page, at(fens[0]!), { folder: server.url });
    for (const [i, fen] of fens.entries()) {
      await forget(page);
      // One bit of each answer, at its end, in the middle, in the header, or at its beginning.
      server.options.damage = (_path, _from, bytes) => {
        const byte = [bytes.length - 1, bytes.length >> 1, Math.min(150, bytes.length - 1), 0][i % 4]!;
        bytes[byte]! ^= 1 << (i % 8);
      };
      await page.reload();
      await show(page, fen);
      const answer = await said(page);
      const known = compare(answer, natives[i]!);
      const message = [answer.fault, ...answer.notes].join(" ");
      // A bit between two blocks that are fetched together harms nobody.
      if (/damaged/.test(message)) named++;
      else expect(known, fen).toBe(natives[i]!.moves.length);
    }
    expect(named, "messages").toBeGreaterThanOrEqual(6);

    // A bit of every sixteenth byte: no block is sound.
    server.options.damage = (_path, _from, bytes) => {
      for (let byte = 3; byte < bytes.length; byte += 16) bytes[byte]! ^= 4;
    };
    for (const fen of fens.slice(0, 4)) {
      await forget(page);
      await page.reload();
      await show(page, fen);
      const answer = await said(page);
      expect(answer.fault).toMatch(/damaged/);
      expect(answer.value).toBeNull();
    }
    forgetFailedRequests(faults);
  });

  test("messages name the cause: refused, empty, of another game, missing", async ({ page, faults }) => {
    const [fen] = positions(1);
    const afresh = async (text: string) => {
      await page.evaluate((hash) => (location.hash = hash), at(text));
      await page.reload();
    };
    server.options.trouble = () => "forbid";
    await open(page, at(fen!), { folder: server.url });
    let fault = (await said(page)).fault;
    expect(fault).toMatch(/The host answered, but refused to send \S+\.(wdl|dist)/);
    expect(fault).toMatch(/answers 403 .*expected 206/);
    server.options.trouble = () => null;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByTestId("value")).toBeVisible();

    // The same names, but another game.
    await page.evaluate(
      (text) => (location.hash = `explore?rules=twelve&fen=${encodeURIComponent(text)}`),
      fen!,
    );
    await expect(page.getByTestId("fault")).toContainText("a tablebase file of another game or sector");
    await expect(page.getByTestId("fault")).toContainText("made for nine or lasker, expected twelve");

    const empty = mkdtempSync(join(tmpdir(), "millstone-"));
    for (const name of readdirSync(folder)) writeFileSync(join(empty, name), "");
    server.options.folder = empty;
    await forget(page);
    await afresh(fen!);
    fault = (await said(page)).fault;
    expect(fault).toMatch(/on the host is empty/);
    expect(fault).toMatch(/found no byte in .*expected a tablebase file/);

    // Some files are missing: the others answer, and a button asks for the rest once more.
    const some = mkdtempSync(join(tmpdir(), "millstone-"));
    const takes = "O*O****O/@**@***@/**O****@ w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
    for (const name of readdirSync(folder))
      if (!name.startsWith("3_4")) copyFileSync(join(folder, name), join(some, name));
    server.options.folder = some;
    await afresh(takes);
    await expect(page.getByTestId("note").first()).toContainText(
      /3_4_0_0\.(dist|wdl) is missing on the host\./,
    );
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(some, name));
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByTestId("note")).toHaveCount(0);
    const answer = await said(page);
    expect(answer.fault).toBeNull();
    expect(compare(answer, truth(folder, [takes])[0]!)).toBe(Object.keys(answer.moves).length);
    rmSync(empty, { recursive: true });
    rmSync(some, { recursive: true });
    forgetFailedRequests(faults);
  });

  test("a host that hides the length of its files is named where the statistics would be", async ({
    page,
  }) => {
    const [fen] = positions(1);
    server.options.hidesLength = true;
    await open(page, at(fen!), { folder: server.url });
    const answer = await said(page);
    expect(compare(answer, truth(folder, [fen!])[0]!)).toBeGreaterThan(0);
    expect(answer.notes.join()).toMatch(/does not let this page read the length of \S+\. .*Content-Range/);
    await expect(page.getByRole("heading", { name: "Sector", exact: true })).toHaveCount(0);
    // Also from Cache Storage.
    await isKept(page);
    await page.goto(at(fen!));
    await page.reload();
    await expect(page.getByTestId("note").filter({ hasText: "Content-Range" })).toBeVisible();
    server.options.hidesLength = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Sector", exact: true })).toBeVisible();
    await expect(page.getByTestId("note").filter({ hasText: "Content-Range" })).toHaveCount(0);
  });

  test("a question that is no longer asked keeps no other waiting", async ({ page }) => {
    const [known, other] = positions(2);
    await open(page, at(known!), { folder: server.url });
    const before = await said(page);
    server.options.trouble = () => "hang";
    await show(page, other!);
    await expect.poll(() => server.troubles).toBeGreaterThan(0);
    await show(page, known!);
    // The host is given eight seconds for each attempt.
    await expect(page.getByTestId("value")).toHaveText(before.value!, { timeout: 4_000 });
  });

  test(
    "a host without tables, without parts, or without an answer is named",
    { tag: "@long" },
    async ({ page, faults }) => {
      test.setTimeout(120_000);
      const [fen] = positions(1);
      server.options.folder = `${folder}/nothing-here`;
      await open(page, "#explore", { folder: server.url });
      await show(page, fen!);
      expect((await said(page)).fault).toMatch(/no file|not answer|missing/);

      server.options.folder = folder;
      await page.getByRole("button", { name: "Try again" }).click();
      await expect(page.getByTestId("value")).toBeVisible();
      compare(await said(page), truth(folder, [fen!])[0]!);

      server.options.withoutRanges = true;
      await forget(page);
      await page.reload();
      expect((await said(page)).fault).toMatch(/does not send parts of files/);

      // A position that this folder does not hold: eighteen men.
      server.options.withoutRanges = false;
      await page.reload();
      await show(page, "O@O@O@O@/O@O@O@O@/O@****** w m s 9 0 9 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
      expect((await said(page)).fault).toMatch(/9_9_0_0|no file/);

      server.options.trouble = () => "drop";
      await forget(page);
      await page.reload();
      await show(page, fen!);
      expect((await said(page)).fault).toMatch(/did not answer/);
      forgetFailedRequests(faults);
    },
  );
});

test("the built-in tablebase tells every move, the sector and the symmetries", async ({ page }) => {
  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await open(page, `#explore?rules=nine&fen=${encodeURIComponent(fen)}`);
  const answer = await said(page);
  expect(answer.fault).toBeNull();
  expect(compare(answer, truth(null, [fen])[0]!)).toBe(54);
  await expect(page.getByText("3_3_0_0", { exact: true })).toBeVisible();
  await expect(page.getByTestId("cost")).toHaveText("From the tablebase that comes with the page.");
  // The link is taken out of the address, so that a reload shows what was done since.
  await expect.poll(() => page.evaluate(() => location.hash)).toBe("#explore");
  await expect(page.getByRole("button", { name: /^Symmetry / })).toHaveCount(16);
  const before = await page.getByTestId("value").innerText();
  await page.getByRole("button", { name: "Symmetry 6", exact: true }).click();
  await expect(page.getByTestId("value")).toHaveText(before);

  // A position that the built-in tablebase leaves out is unknown, and the page says why.
  const opening = `#explore?rules=nine&moves=d6_f4_d2_b4_b2_d7_f2_xd7_a7_g7_a4_a1`;
  await page.evaluate((hash) => (location.hash = hash), opening);
  await expect(page.getByTestId("fault")).toContainText(
    "the moving phase of Nine Men's Morris and Lasker Morris with at most nine men",
  );
  await expect(page.locator(".probe-move")).toHaveCount(0);
  await page.evaluate((text) => (location.hash = `explore?rules=nine&fen=${encodeURIComponent(text)}`), fen);
  await expect(page.getByTestId("value")).toHaveText(before);

  // A move of the table is played, and its value is the opposite for the other side.
  const best = page.locator(".probe-move").first();
  const move = (await best.innerText()).split("-")[1]!;
  await best.click();
  await expect.poll(async () => (await men(page))[move]).toBe("white man");
});

test("a symmetry leaves out comments, which the page says, and the first changes nothing", async ({
  page,
}) => {
  await open(page, "#explore?rules=nine&moves=d6_f4");
  const first = page.getByRole("button", { name: "Symmetry 1", exact: true });
  const loss = page.getByText("A turned game has no comments, marks or variations.");
  await expect(first).toBeVisible();
  await expect(loss).toHaveCount(0);
  await page.evaluate(
    (text) => (location.hash = `explore?game=${text}`),
    encodeURIComponent("1. d6 {good} f4 *"),
  );
  await expect(loss).toBeVisible();
  const recorded = page.getByTestId("recorded");
  for (const [name, comments] of [
    ["Symmetry 1", 1],
    ["Symmetry 2", 0],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator('.modes a[href="#analyse"]').click();
    await page.getByRole("button", { name: "To the start" }).click();
    await page.getByRole("button", { name: "One move on" }).click();
    await expect(recorded).toHaveCount(comments);
    await page.locator('.modes a[href="#explore"]').click();
  }
});

test("screen readers are told of a new board, an opened game and a symmetry", async ({ page }) => {
  await open(page, "#explore?rules=nine&moves=d6");
  await page.getByText("Open", { exact: true }).click();
  await page.getByRole("button", { name: "New board" }).click();
  await expect(live(page)).toContainText("Move 0 of 0. Start of the game.");
  await page.getByLabel("Position or game").fill("d6 f4");
  await page.getByRole("button", { name: "Load the text" }).click();
  await expect(live(page)).toContainText("Move 2 of 2. Black places a man on f4.");
  await page.getByRole("button", { name: "Symmetry 2", exact: true }).click();
  await expect(live(page)).toContainText(/Move 2 of 2\. Black places a man on (?!f4)/);
});

test("a symmetry turns the game that is shown, even if it has just come", async ({ page }) => {
  await open(page, "#explore?rules=nine&moves=d6");
  await expect(page.getByRole("button", { name: "Symmetry 2", exact: true })).toBeVisible();
  await page.evaluate(() => {
    location.hash = "explore?rules=nine&moves=d6_f4";
    // Not a moment later: the boards are still those of the game before.
    document.querySelector<HTMLElement>('[aria-label="Symmetry 2"]')!.click();
  });
  await expect(live(page)).toContainText("Move 2 of 2.");
});

test("the symmetries of a game with diagonals show them", async ({ page }) => {
  for (const [rules, spokes] of [
    ["nine", 4],
    ["twelve", 8],
  ] as const) {
    await page.goto("about:blank");
    await open(page, `#explore?rules=${rules}`);
    await expect(page.locator(".mini").first().locator("path")).toHaveCount(spokes);
  }
});

test("while a take is pending, the panel tells which positions statistics are of", async ({ page }) => {
  await open(page, "#explore?rules=nine&moves=d6_f4_d7_b2_d5");
  await expect(page.getByTestId("pending")).toHaveText(
    "A man is to be taken. Statistics are those of positions between two turns.",
  );
  await page.locator(".probe-move").first().click();
  await expect(page.getByTestId("value")).toBeVisible();
  await expect(page.getByTestId("pending")).toHaveCount(0);
});

test("built-in tables that the host refuses are named, with the status", async ({ page, faults }) => {
  await page.route(/tablebase-.{8}\.bin$/, (route) => route.fulfill({ status: 404 }));
  await open(page, "#explore");
  const fault = page.getByTestId("fault");
  await expect(fault).toContainText(/refused to send tablebase-\S+\.bin\./);
  await expect(fault).toContainText(/the server answers 404 for http.*\.bin/);
  await page.unroute(/tablebase-.{8}\.bin$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByTestId("value")).toBeVisible();
  forgetFailedRequests(faults);
});

test("addresses that the page cannot use are refused with the reason", async ({ page }) => {
  await open(page, "#explore");
  await page.getByLabel("web folder").check({ force: true });
  await expect(page.getByText("this page's own host, or http://localhost")).toBeVisible();
  const bad = page.getByTestId("bad-url");
  for (const [address, message] of [
    ["http://tables.example/nine/", /^Found http:\/\/tables\.example, expected https:\/\/.*security policy/],
    [
      "https://tables.example/nine/?key=1",
      /^Found “\?key=1” in the address, expected only the address of a folder/,
    ],
    ["https://tables.example/nine/#part", /^Found “#part”/],
    ["https://me@tables.example/nine/", /^Found “me@”/],
    ["https://:secret@tables.example/nine/", /^Found “:…@”/],
    ["ftp://tables.example/", /^Found “ftp:\/\/tables.example\/”, expected an address that begins with/],
    ["tables", /^Found “tables”, expected/],
    ["https://", /^Found “https:\/\/”, expected/],
    ["", /^Found “”, expected/],
  ] as const) {
    await page.getByLabel("Address of the folder").fill(address);
    await page.getByRole("button", { name: "Use this folder" }).click();
    await expect(bad).toHaveText(message);
  }
  await page.getByLabel("Language").selectOption("de");
  await expect(bad).toHaveText(/^Gefunden: „“/);
  expect(await page.evaluate(() => localStorage.getItem("millstone.folder"))).toBeNull();
});

test("the values of one set of rules are not taken for those of another", async ({ page }) => {
  const fen = encodeURIComponent("O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
  // Neither has a name of its own. In the second nobody flies, and only its first turns are built in.
  await open(page, `#explore?rules=nine,NMoveRule=60&fen=${fen}`);
  await expect(page.getByTestId("value")).toBeVisible();
  await page.evaluate((hash) => (location.hash = hash), `#explore?rules=nine,MayFly=false&fen=${fen}`);
  await expect(page.getByTestId("fault")).toBeVisible();
  await expect(page.getByTestId("value")).toHaveCount(0);
});

test("the first turns of another game are built in", async ({ page }) => {
  await open(page, "#explore?rules=twelve&moves=a7");
  await expect(page.getByTestId("value")).toHaveText(/loss/i);
  await expect(page.locator(".probe-move")).toHaveCount(23);
});

test("a game that no tablebase can hold is named, without a button that cannot help", async ({ page }) => {
  await open(page, "#explore?rules=russian");
  const fault = page.getByTestId("fault");
  await expect(fault).toContainText("Tablebases cannot hold values of this game");
  await expect(fault.getByRole("button")).toHaveCount(0);
});

test("a game of which nothing is built in has one message in place of a table", async ({ page }) => {
  // Each language says what is built in.
  const limits = {
    en: "the first turns of Nine Men's Morris and seven other games, the last two placings of El Filja",
    de: "die ersten Züge der Mühle mit neun Steinen und sieben anderer Spiele, die letzten zwei Setzzüge von El Filja",
  };
  await open(page, "#explore?rules=twelve,flyPieceCount=4&moves=d6");
  const fault = page.getByTestId("fault");
  for (const [language, text] of Object.entries(limits)) {
    await page.locator(".prefs select").first().selectOption(language);
    await expect(fault).toContainText(text);
    await expect(fault.getByRole("button")).toHaveCount(0);
    await expect(page.getByTestId("value")).toHaveCount(0);
    await expect(page.locator(".probe-move")).toHaveCount(0);
  }
});
