import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { AddressInfo } from "node:net";
import { expect, listen, men, open, point, status, talk, test, weak } from "./support/page";

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

test("everything works without a network after the first visit", async ({ page, faults }) => {
  test.setTimeout(120_000);
  // A host of its own, in a folder, which is then gone altogether.
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, "http://host").pathname));
    const file = join(dist, path.replace(/^\/mill/, "").replace(/\/$/, "/index.html"));
    if (!path.startsWith("/mill/") || !existsSync(file) || !statSync(file).isFile())
      return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const address = `http://localhost:${(server.address() as AddressInfo).port}/mill/`;

  await listen(page);
  await open(page, address, { settings: { ...weak.settings, level: 30 } });
  await expect(page.getByTestId("offline")).toHaveAttribute("data-state", "ready", { timeout: 60_000 });
  server.closeAllConnections();
  await new Promise((done) => server.close(done));

  await page.reload();
  await point(page, "d6").click();
  await expect.poll(async () => Object.values(await men(page)).includes("black man"), { timeout: 30_000 }).toBe(true);
  await expect(status(page)).toHaveText(/Your turn/);
  // At full strength it never loses, also without a network.
  expect(await talk(page)).toContain("< info string certified");
  await page.getByLabel("Language").selectOption("de");
  await expect(page.getByRole("button", { name: "Zurücknehmen" })).toBeVisible();

  const fen = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
  await page.goto(`${address}#explore?rules=nine&fen=${encodeURIComponent(fen)}`);
  await page.reload();
  await expect(page.getByTestId("value")).toBeVisible({ timeout: 30_000 });
  // The browser looks for a newer worker, which cannot be reached.
  expect(faults.filter((fault) => !/Failed to load resource|update a ServiceWorker/.test(fault))).toEqual([]);
  faults.length = 0;
});
