// The package as users get it: packed, installed into an empty folder, and run.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const call = promisify(execFile);
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "millstone-mill-"));

before(async () => {
    const { stdout } = await call("npm", ["pack", "--json", "--pack-destination", folder], { cwd: PACKAGE });
    // The script that copies the licences may write lines before.
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
    const names = files.map(({ path }) => path);
    const needed = ["millstone.wasm", "millstone-simd.wasm", "tablebase.bin", "certificate.bin"].map(
        (name) => `dist/${name}`,
    );
    for (const name of [...needed, "index.d.ts", "LICENSE-MIT"]) {
        assert.ok(names.includes(name), `${name} is packed`);
    }
    assert.ok(!names.some((name) => /^(test|tools)\//.test(name)), names.join());
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    await call("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${filename}`], { cwd: folder });
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in the folder, gives it this input, and returns its output. It must end by itself. */
function run(command, args, input) {
    return new Promise((resolve, reject) => {
        const child = spawn(command, args, { cwd: folder, timeout: 120_000 });
        let text = "";
        const read = (piece) => (text += piece);
        child.stdout.on("data", read);
        child.stderr.on("data", read);
        child.on("error", reject);
        child.on("close", (status, signal) => {
            if (status === 0) resolve(text);
            else reject(new Error(`${command} ends with ${status ?? signal}: ${text}`));
        });
        child.stdin.end(input);
    });
}

test("npx starts the UCI loop, and bench counts the nodes of the program", async () => {
    const lines = (await run("npx", ["--offline", "millstone-mill"], "uci\nisready\nbench\nquit\n"))
        .trim()
        .split("\n");
    assert.ok(
        lines.some((line) => line.startsWith("id name Millstone ")),
        lines[0],
    );
    assert.ok(lines.includes("uciok") && lines.includes("readyok"));
    const count = lines.map((line) => /^(\d+) nodes \d+ nps$/.exec(line)?.[1]).find(Boolean);
    assert.equal(count, process.env.BENCH ?? count, lines.slice(-3).join("\n"));
    assert.match(count, /^\d{6}$/);
});

test("the example of README has fifteen lines at most, runs as it stands, and ends", async () => {
    const example = /```js\n([^]*?)```/.exec(readFileSync(join(PACKAGE, "README.md"), "utf8"))[1];
    assert.ok(example.trimEnd().split("\n").length <= 15, example);
    writeFileSync(join(folder, "example.js"), example);
    const text = await run(process.execPath, ["example.js"], "");
    assert.match(text, /bestmove [a-g][1-7]/);
    assert.match(text, /drawingReplies/);
    assert.doesNotMatch(text, /Error/);
});
