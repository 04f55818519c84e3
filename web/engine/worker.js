// The engine as a worker: takes lines of UCI text and posts lines of UCI text, one string each. An object as
// the first message holds `EngineOptions`; with `read` in it, the worker reads records in place of that.

import { Library, recordsOf } from "./library.js";
import { Driver } from "./session.js";
import { isNode, loadWasm } from "./wasm.js";

const port = isNode ? (await import("node:worker_threads")).parentPort : self;
const waiting = [];
let driver;
let options = {};
let isLoading = false;

async function start() {
    await loadWasm(options);
    const end = () => (isNode ? port.close() : self.close());
    driver = new Driver(options, (line) => port.postMessage(line), end);
    waiting.splice(0).forEach((line) => driver.line(line));
}

/** Reads the records of a text, and posts them or what is thrown. */
async function read({ text, rules }, options) {
    await loadWasm(options);
    const library = new Library();
    try {
        port.postMessage({ records: recordsOf(library, text, rules) });
    } catch (error) {
        if (!error.code) throw error;
        port.postMessage({ thrown: { code: error.code, message: error.message } });
    }
}

/** Tells the owner of an error. In Node this ends the worker. */
const raise = (error) =>
    setTimeout(() => {
        throw error;
    });

function receive(data) {
    if (data?.read) return void read(data.read, data).catch(raise);
    if (typeof data === "object" && data !== null) options = data;
    else if (driver) return driver.line(data);
    else waiting.push(data);
    if (isLoading) return;
    isLoading = true;
    // What is sent after a failure tries again.
    start().catch((error) => {
        isLoading = false;
        raise(error);
    });
}

if (isNode) port.on("message", receive);
else self.onmessage = (event) => receive(event.data);
