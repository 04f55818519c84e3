import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "vite";

/** Files that the first visit fetches in any case; the others follow once the page runs. */
const LATE = /tablebase|\.bin$/;

/**
 * Writes `sw.js`, the service worker, from `service-worker.js` and the list of the files of the page. Its
 * version is the checksum of all of them, so that every change of a file replaces the worker.
 */
export function serviceWorker(source: string): Plugin {
  let publicDir = "";
  return {
    name: "service-worker",
    apply: "build",
    // After the page itself, whose text counts for the version.
    enforce: "post",
    configResolved(config) {
      publicDir = config.publicDir;
    },
    generateBundle(_options, bundle) {
      const hash = createHash("sha256").update(readFileSync(source));
      const files: string[] = [];
      for (const [name, file] of Object.entries(bundle)) {
        files.push(name);
        hash.update(name).update(file.type === "chunk" ? file.code : file.source);
      }
      for (const name of readdirSync(publicDir, { recursive: true, withFileTypes: true })) {
        if (!name.isFile()) continue;
        const path = join(name.parentPath, name.name);
        files.push(relative(publicDir, path).split(sep).join("/"));
        hash.update(readFileSync(path));
      }
      const lists = {
        VERSION: hash.digest("hex").slice(0, 16),
        EARLY: ["./", ...files.filter((file) => !LATE.test(file) && file !== "index.html")].sort(),
        LATE: files.filter((file) => LATE.test(file)).sort(),
      };
      const code = readFileSync(source, "utf8").replace(
        /^const (VERSION|EARLY|LATE) = .*;$/gm,
        (_, name: keyof typeof lists) => `const ${name} = ${JSON.stringify(lists[name])};`,
      );
      this.emitFile({ type: "asset", fileName: "sw.js", source: code });
    },
  };
}
