import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { minifySync, type Plugin } from "vite";

/**
 * Files that follow once the page runs, in this order: the engine waits for the certificate before its first
 * move. The first visit fetches all others before that. Names end in a checksum of eight characters.
 */
const LATE = [/certificate-.{8}\.bin$/, /tablebase-.{8}\.bin$/];
/** Files of other games, which are kept when such a game is first played. */
const ASKED = /(network|tablebase)-.+-(.{8})\.bin$/;

/** The place of a file among those that follow; -1 if it is none of them. */
const placeOf = (file: string): number => LATE.findIndex((pattern) => pattern.test(file));

/** The checksum of a file as `fetch` compares it. */
const sumOf = (path: string): string =>
  `sha256-${createHash("sha256").update(readFileSync(path)).digest("base64")}`;

/**
 * Writes `sw.js`, the service worker, from `service-worker.js` and the list of the files of the page. Its
 * version is the checksum of all of them, so that every change of a file replaces the worker.
 */
export function serviceWorker(source: string): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    // Once all files are as the host sends them.
    writeBundle({ dir }) {
      const folder = dir!;
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== "sw.js")
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [relative(folder, path).split(sep).join("/"), sumOf(path)] as const)
        .map(([name, sum]) => [name === "index.html" ? "./" : name, sum] as const)
        .sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
      const code = readFileSync(source, "utf8");
      const lists = {
        VERSION: createHash("sha256")
          .update(code + JSON.stringify(files))
          .digest("hex")
          .slice(0, 16),
        EARLY: files.filter(([name]) => placeOf(name) < 0 && !ASKED.test(name)),
        LATE: files.filter(([name]) => placeOf(name) >= 0),
        ASKED: Object.fromEntries(
          files.flatMap(([name, sum]) => {
            const inName = ASKED.exec(name)?.[2];
            return inName ? [[inName, sum.slice("sha256-".length).slice(0, 8)]] : [];
          }),
        ),
      };
      const filled = Object.entries(lists).map(([name, list]) => `const ${name} = ${JSON.stringify(list)};`);
      const rest = code.replace(/^const (VERSION|EARLY|LATE|ASKED) = .*;$/gm, "");
      const minified = minifySync("sw.js", rest, { mangle: { toplevel: true } }).code;
      writeFileSync(join(folder, "sw.js"), [...filled, minified].join("\n"));
    },
  };
}
