// The engine as a worker: takes lines of UCI text and posts lines of UCI text, one string each. An object as
// the first message holds `EngineOptions`; with `read` in it, the worker reads records in place of that.

import { Library, recordsOf } from "./library.js";
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

/** Reads the records of a text, and posts them or what is thrown. */
async function read({ text, rules }, options) {
    const library = new Library(await loadWasm(options));
    try {
        port.postMessage({ records: recordsOf(library, text, rules) });
    } catch (error) {
        if (!error.code) throw error;
        port.postMessage({ thrown: { code: error.code, message: error.message } });
    }
}

/** An error ends the worker, and its owner hears of it. */
const raise = (error) =>
    setTimeout(() => {
        throw error;
    });

function receive(data) {
    if (data?.read) return void read(data.read, data).catch(raise);
    const isOptions = typeof data === "object" && data !== null;
    if (!isOptions) {
        if (driver) return driver.line(data);
        waiting.push(data);
    }
    if (!isLoading) start(isOptions ? data : {}).catch(raise);
}

if (isNode) port.on("message", receive);
else self.onmessage = (event) => receive(event.data);
