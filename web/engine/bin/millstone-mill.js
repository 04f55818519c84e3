#!/usr/bin/env node
// The UCI loop in a terminal.

import { createInterface } from "node:readline";
import { Driver } from "../session.js";
import { loadWasm } from "../wasm.js";

await loadWasm();
const driver = new Driver(
    {},
    (line) => process.stdout.write(`${line}\n`),
    () => lines.close(),
);
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
process.stdout.on("error", () => process.exit(0));
lines.on("line", (line) => driver.line(line));
lines.on("close", () => {
    driver.end();
    process.stdin.destroy();
});
