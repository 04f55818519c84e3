// Measures how long cold positions take in Explore: from the address to the painted table. The tablebase lies
// on a local host, and nothing of it is known to the browser. The positions are random, and the same in every
// run. Nothing here passes or fails. Environment:
//   TABLES   a folder of tablebase files; without it, one with all positions of at most nine men
//   COUNT    the number of positions, 60 without it
//   EACH     if set, prints each position as well
//   PAGES    built pages to compare, separated by commas; each is asked in turn. Without it, `dist`.

import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { test } from "@playwright/test";
import { preview, type PreviewServer } from "vite";
import { below, position, tables } from "../support/tables";
import { Tab } from "../support/tab";

interface Measured {
  fen: string;
  requests: number;
  bytes: number;
  /** Milliseconds until the table is there, and until it is painted. */
  shown: number;
  painted: number;
}

const HOST = fileURLToPath(new URL("../../../engine/tools/host.js", import.meta.url));

/** A position that no tablebase holds: its rules are none of Nine Men's Morris. */
const NOWHERE = "explore?rules=russian";
const FAULT = '[data-testid="fault"]';

/** Shows a position and waits until its table is painted. Null if the game is over or has no value. */
function show(page: Tab, fen: string): Promise<Measured | null> {
  return page.call(async (text) => {
    const part = () => document.querySelector<HTMLElement>("[data-fen]");
    const begin = performance.now();
    location.hash = `explore?rules=nine&fen=${encodeURIComponent(text)}`;
    await new Promise<void>((done) => {
      const look = () => {
        const now = part();
        if (!now || !now.dataset["fen"]!.startsWith(text.slice(0, 28)) || now.ariaBusy !== "false") return;
        observer.disconnect();
        done();
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    const shown = performance.now() - begin;
    await new Promise<void>((done) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => done();
        port2.postMessage(null);
      }),
    );
    const painted = performance.now() - begin;
    const cost = document.querySelector<HTMLElement>('[data-testid="cost"]')?.dataset;
    return cost
      ? { fen: text, requests: Number(cost["requests"]), bytes: Number(cost["bytes"]), shown, painted }
      : null;
  }, fen);
}

/** Makes a page use a folder of which it knows nothing. */
async function useFolder(page: Tab, url: string): Promise<void> {
  await page.call((hash) => void (location.hash = hash), NOWHERE);
  await page.waitFor(FAULT);
  await page.call(
    () => document.querySelectorAll<HTMLElement>(".source input[type=radio]")[1]!.click(),
    null,
  );
  await page.waitFor(".source input[type=url]");
  await page.call((text) => {
    const field = document.querySelector<HTMLInputElement>(".source input[type=url]")!;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, url);
  await page.call(() => document.querySelector<HTMLElement>(".source button[type=submit]")!.click(), null);
  await page.waitFor(FAULT);
  await sleep(200);
}

function line(name: string, found: readonly Measured[], pick: (one: Measured) => number): void {
  const sorted = found.map(pick).sort((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(0).padStart(4);
  const below100 = found.filter((one) => one.painted <= 100).length;
  console.log(
    `${name.padEnd(14)} ${String(found.length).padStart(4)}  min ${at(0)}  median ${at(0.5)}  p90 ${at(0.9)}  max ${at(1)}` +
      `  within 100 ms ${((100 * below100) / found.length).toFixed(0)} %`,
  );
}

test("explorer", async ({ browser }) => {
  const folder = resolve(process.env["TABLES"] || tables());
  const count = Number(process.env["COUNT"] ?? 60);
  const sectors = [
    ...new Set(readdirSync(folder).flatMap((name) => /^(\d+)_(\d+)_0_0\./.exec(name)?.slice(1).join() ?? [])),
  ].sort();
  const random = below(2024);
  const fens = Array.from({ length: count }, () => {
    const [white, black] = sectors[random(sectors.length)]!.split(",").map(Number);
    return position(white!, black!, random);
  });

  // A process of its own, as hosts are: this one is busy with what the browser reports to it.
  const server = fork(HOST, [folder]);
  const url = await new Promise<string>((done) => server.once("message", (text) => done(text as string)));
  const pages: { name: string; page: Tab; found: Measured[]; host: PreviewServer }[] = [];
  for (const [n, outDir] of (process.env["PAGES"] ?? "dist").split(",").entries()) {
    const host = await preview({
      build: { outDir },
      preview: { port: 4180 + n, strictPort: true },
      logLevel: "error",
    });
    const page = await Tab.open(browser, `http://localhost:${4180 + n}/#${NOWHERE}`, {
      width: 1280,
      height: 860,
    });
    await page.waitFor(FAULT);
    // The service worker fetches the files of the page.
    await sleep(3000);
    pages.push({ name: outDir, page, found: [], host });
  }
  for (const [n, fen] of fens.entries())
    for (const [p, { page, found }] of pages.entries()) {
      // An address of its own for each, so that no cache helps.
      await useFolder(page, `${url}${n}-${p}/`);
      const one = await show(page, fen);
      if (!one) continue;
      found.push(one);
      if (process.env["EACH"])
        console.log(
          `${n} ${pages[p]!.name}: ${one.requests} requests, ${one.bytes} bytes, ${one.painted.toFixed(0)} ms, ${fen}`,
        );
    }
  server.disconnect();

  for (const { name, page, found, host } of pages) {
    console.log(`\n${name}: ${found.length} positions, milliseconds until the table is painted`);
    for (const requests of [...new Set(found.map((one) => one.requests))].sort((a, b) => a - b))
      line(
        `${requests} requests`,
        found.filter((one) => one.requests === requests),
        (one) => one.painted,
      );
    line("all", found, (one) => one.painted);
    line("all, not painted", found, (one) => one.shown);
    await page.close();
    await host.close();
  }
});
