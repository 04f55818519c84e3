import { createHash } from "node:crypto";
import { cpSync, createReadStream, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import {
  expect,
  forgetFailedRequests,
  listen,
  men,
  open,
  point,
  status,
  talk,
  test,
  weak,
} from "./support/page";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * A host of its own for the page, in two folders. `files` may change, `lacks` names those that it does not
 * have, and `shows` those for which it sends a page in their place. `log` holds the files that it has sent.
 */
async function host() {
  const log: string[] = [];
  const site = { files: dist, lacks: /^$/, shows: /^$/, log, address: "", other: "", stop: async () => {} };
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, "http://host").pathname));
    const file = join(site.files, path.replace(/^\/mill(-next)?/, "").replace(/\/$/, "/index.html"));
    const isFile = /^\/mill(-next)?\//.test(path) && existsSync(file) && statSync(file).isFile();
    if (!isFile || site.lacks.test(path)) return void response.writeHead(404).end();
    if (site.shows.test(path))
      return void response.writeHead(200, { "content-type": "text/html" }).end("<p>Not here</p>");
    log.push(path);
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  site.address = `http://localhost:${(server.address() as AddressInfo).port}/mill/`;
  site.other = site.address.replace(/mill\/$/, "mill-next/");
  site.stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return site;
}

/** The browser looks for a newer worker, which cannot be reached. */
function forgetUnreachable(faults: string[]): void {
  expect(faults.filter((fault) => !/Failed to load resource|update a ServiceWorker/.test(fault))).toEqual([]);
  faults.length = 0;
}

const blackMen = async (page: Page) =>
  Object.values(await men(page)).filter((man) => man === "black man").length;

/** The folders of these copies. */
const versions: string[] = [];
test.afterEach(() => versions.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/**
 * A copy of the page as after an update: every file with a checksum in its name has another one, but for those
 * that stay the `same`.
 */
function nextVersion(same = /^$/): string {
  const folder = mkdtempSync(join(tmpdir(), "millstone-page-"));
  versions.push(folder);
  cpSync(dist, folder, { recursive: true });
  const names = readdirSync(join(folder, "assets")).filter(
    (name) => /-.{8}\.\w+$/.test(name) && !same.test(name),
  );
  const next = (name: string) =>
    name.replace(/-(.{8})\./, (_, sum: string) => `-${[...sum].reverse().join("")}.`);
  for (const name of names) renameSync(join(folder, "assets", name), join(folder, "assets", next(name)));
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    if (!/\.(html|js|css)$/.test(name)) continue;
    let text = readFileSync(join(folder, name), "utf8");
    for (const old of names) text = text.replaceAll(old, next(old));
    writeFileSync(join(folder, name), text);
  }
  // The service worker compares the files with their checksums.
  const worker = join(folder, "sw.js");
  const sum = (file: string) =>
    createHash("sha256")
      .update(readFileSync(join(folder, file.replace(/^\.\/$/, "index.html"))))
      .digest("base64");
  const text = readFileSync(worker, "utf8")
    .replace(/VERSION = "/, 'VERSION = "next-')
    .replace(/\["([^"]+)","sha256-[^"]+"\]/g, (_, file: string) => `["${file}","sha256-${sum(file)}"]`);
  writeFileSync(worker, text);
  return folder;
}

test("everything works without a network after the first visit", async ({ page, faults }) => {
  test.setTimeout(120_000);
  const site = await host();
  await listen(page);
  await open(page, site.address, { settings: { ...weak.settings, level: 30 } });
  await expect(page.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
  // It is gone altogether.
  await site.stop();

  await page.reload();
  await point(page, "d6").click();
  await expect
    .poll(async () => Object.values(await men(page)).includes("black man"), { timeout: 30_000 })
    .toBe(true);
  await expect(status(page)).toHaveText(/Your turn/);
  // At full strength it never loses, also without a network.
  expect(await talk(page)).toContain("< info string certified");
  await page.getByLabel("Language").selectOption("de");
  await expect(page.getByRole("button", { name: "Zurücknehmen" })).toBeVisible();

  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await page.goto(`${site.address}#explore?rules=nine&fen=${encodeURIComponent(fen)}`);
  await page.reload();
  await expect(page.getByTestId("value")).toBeVisible({ timeout: 30_000 });
  forgetUnreachable(faults);
});

test("another game that was played before needs no network either", async ({ page, faults }) => {
  const site = await host();
  await listen(page);
  await open(page, site.address, { settings: { ...weak.settings, rules: "twelve", level: 30 } });
  await expect(page.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
  const games = () => site.log.filter((file) => /(network|tablebase)-.+-.{8}\.bin$/.test(file));
  expect(games(), "nothing before the game begins").toEqual([]);
  const turn = async (name: string, men: number) => {
    await point(page, name).click();
    await expect.poll(() => blackMen(page), { timeout: 30_000 }).toBe(men);
  };
  await turn("d6", 1);
  await expect.poll(() => games().length).toBe(2);
  await site.stop();
  await page.reload();
  await expect(status(page)).toHaveText(/Your turn/);
  const free = Object.entries(await men(page)).find(([, man]) => man === "empty")![0];
  await turn(free, 2);
  expect((await talk(page)).filter((line) => /is missing|damaged/.test(line))).toEqual([]);
  forgetUnreachable(faults);
});

test("two copies of one page keep their files apart", { tag: "@long" }, async ({ page, faults }) => {
  test.setTimeout(120_000);
  const site = await host();
  const visit = async (address: string) => {
    await open(page, address, weak);
    await expect(page.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
  };
  await visit(site.address);
  site.files = nextVersion();
  await visit(site.other);
  // A page in a folder below is another one.
  mkdirSync(join(site.files, "below"));
  writeFileSync(join(site.files, "below/index.html"), "<p>Another page</p>");
  await page.goto(`${site.address}below/index.html`);
  await expect(page.getByText("Another page")).toBeVisible();
  await site.stop();
  for (const address of [site.address, site.other]) {
    await page.goto(address);
    await expect(status(page)).toHaveText(/Your turn/);
  }
  forgetFailedRequests(faults);
});

for (const [what, fault] of [
  ["a file that the host lacks", "lacks"],
  ["a file in whose place the host sends a page", "shows"],
] as const)
  test(`${what} keeps no other from being kept, and is named`, async ({ page, faults }) => {
    const site = await host();
    site[fault] = /certificate/;
    await open(page, site.address);
    const note = page.getByTestId("offline");
    await expect(note).toHaveAttribute("data-state", "incomplete", { timeout: 60_000 });
    await expect(note).toHaveText(
      /^Not all files for use without a network could be fetched\. The next visit /,
    );
    const kept = () =>
      page.evaluate(async () => {
        const names = (await caches.keys()).filter((name) => name.startsWith("millstone-page "));
        return (await (await caches.open(names[0]!)).keys()).map(({ url }) => url).join(" ");
      });
    expect(await kept()).toContain("tablebase-");
    expect(await kept()).not.toContain("certificate-");
    site[fault] = /^$/;
    await page.reload();
    await expect(note).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
    expect(await kept()).toContain("certificate-");
    await site.stop();
    forgetFailedRequests(faults);
  });

test("without a file that the page needs at once nothing is promised, and the next visit tries again", async ({
  page,
  faults,
}) => {
  const site = await host();
  site.shows = /manifest/;
  await open(page, site.address);
  const note = page.getByTestId("offline");
  await expect(note).toHaveAttribute("data-state", "incomplete", { timeout: 60_000 });
  site.shows = /^$/;
  await page.reload();
  await expect(note).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
  await site.stop();
  forgetFailedRequests(faults);
});

test(
  "an update leaves open tabs as they are until the reader wants it",
  { tag: "@long" },
  async ({ page, context }) => {
    test.setTimeout(120_000);
    const site = await host();
    await open(page, site.address, weak);
    await expect(page.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
    await page.reload();
    site.files = nextVersion();
    const second = await context.newPage();
    await open(second, `${site.address}#explore`);
    for (const tab of [page, second])
      await expect(tab.getByText("A new version is ready.")).toBeVisible({ timeout: 30_000 });
    const script = (tab: typeof page) => tab.locator("script[src]").getAttribute("src");
    const old = await script(page);
    expect(await script(second)).toBe(old);
    await second.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => script(second).catch(() => old)).not.toBe(old);
    // The host no longer has what the first tab still has to load: a language, the worker and the engine.
    await page.getByLabel("Language").selectOption("de");
    await expect(page.getByRole("button", { name: "Zurücknehmen" })).toBeVisible();
    await point(page, "d6").click();
    const answered = async () => Object.values(await men(page)).includes("schwarzer Stein");
    await expect.poll(answered, { timeout: 30_000 }).toBe(true);
    const versions = () =>
      second.evaluate(
        async () => (await caches.keys()).filter((name) => name.startsWith("millstone-page ")).length,
      );
    expect(await versions()).toBe(2);
    // Once all tabs are new, the older files go.
    await page.close();
    await second.reload();
    await expect(second.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
    await expect.poll(versions).toBe(1);
    await site.stop();
  },
);

test(
  "after an update the page works without a network, and fetches nothing twice",
  { tag: "@long" },
  async ({ page, context }) => {
    test.setTimeout(120_000);
    const site = await host();
    await open(page, site.address, { settings: { ...weak.settings, level: 30 } });
    await expect(page.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
    site.files = nextVersion(/\.(bin|wasm)$/);
    site.log.length = 0;
    await page.reload();
    await expect(page.getByText("A new version is ready.")).toBeVisible({ timeout: 30_000 });
    expect(site.log.filter((path) => /\.(bin|wasm)$/.test(path))).toEqual([]);
    const script = (tab: typeof page) => tab.locator("script[src]").getAttribute("src");
    const old = await script(page);
    // The new version takes over while no tab is open.
    await page.close();
    const second = await context.newPage();
    await second.goto("about:blank");
    await second.waitForTimeout(2000);
    await site.stop();
    await listen(second);
    await open(second, `${site.address}#play`);
    expect(await script(second)).not.toBe(old);
    await point(second, "d6").click();
    expect(await talk(second)).toContain("< info string certified");
    await second.goto(`${site.address}#explore?rules=nine`);
    await expect(second.getByTestId("value")).toBeVisible({ timeout: 30_000 });
  },
);
