// The engine as a worker: takes lines of UCI text and posts lines of UCI text, one string each. An object as
// the first message holds `EngineOptions`.

import { Driver } from "./session.js";
import { isNode, loadWasm } from "./wasm.js";

const port = isNode ? (await import("node:worker_threads")).parentPort : self;
const waiting = [];
let driver;
let isLoading = false;

async function start(options) {
    isLoading = true;
    const wasm = await loadWasm(options);
    const end = () => (isNode ? port.close() : self.close());
    driver = new Driver(wasm, options, (line) => port.postMessage(line), end);
    waiting.splice(0).forEach((line) => driver.line(line));
}

function receive(data) {
    const isOptions = typeof data === "object" && data !== null;
    if (!isOptions) {
        if (driver) return driver.line(data);
        waiting.push(data);
    }
    // An error ends the worker, and its owner hears of it.
    if (!isLoading) start(isOptions ? data : {}).catch((error) => setTimeout(() => { throw error; }));
}

if (isNode) port.on("message", receive);
else self.onmessage = (event) => receive(event.data);
