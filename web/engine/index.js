// The public interface; index.d.ts describes it.

import { WasmBuiltIn } from "./dist/millstone.js";
import { addressOfTables, fileName, isNode, loadTables, loadWasm } from "./wasm.js";
import { MillError, call } from "./error.js";
import { leftOut, namesOf } from "./files.js";
import { RemoteExplorer } from "./remote.js";
import { Library, optional } from "./library.js";

export { MillError };

export class Engine {
    #worker;
    #listeners = new Set();
    #failures = new Set();
    #queue = [];
    #isClosed = false;

    constructor(options = {}) {
        this.#queue.push({ ...options });
        startWorker(
            (line) => this.#hear(line),
            (error) => this.#fail(error),
            (worker) => this.#use(worker),
        );
    }

    #use(worker) {
        if (this.#isClosed) return worker.terminate();
        this.#worker = worker;
        this.#queue.splice(0).forEach((message) => worker.postMessage(message));
    }

    #hear(line) {
        // A worker that was ended may still have lines on their way.
        if (this.#isClosed) return;
        for (const listener of [...this.#listeners]) listener(line);
    }

    #fail(error) {
        if (this.#isClosed) return;
        for (const listener of [...this.#failures]) listener(error);
    }

    send(line) {
        if (this.#isClosed) return;
        if (this.#worker) this.#worker.postMessage(String(line));
        else this.#queue.push(String(line));
    }

    onLine(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }

    onError(listener) {
        this.#failures.add(listener);
        return () => this.#failures.delete(listener);
    }

    terminate() {
        this.#isClosed = true;
        this.#worker?.terminate();
    }
}

/**
 * Starts the worker of this package. `hear` is called with its messages, `fail` with its errors, and `use`
 * with the worker once it takes messages.
 */
function startWorker(hear, fail, use) {
    if (isNode) {
        const start = ({ Worker }) => {
            const worker = new Worker(new URL("./worker.js", import.meta.url));
            worker.on("message", hear);
            worker.on("error", fail);
            use(worker);
        };
        import("node:worker_threads").then(start).catch(fail);
        return;
    }
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = (event) => hear(event.data);
    worker.onerror = (event) => fail(new Error(event.message || "the worker cannot be loaded"));
    use(worker);
}

export function readRecords(text, rules, options = {}) {
    return new Promise((done, failed) => {
        let worker;
        const end = (settle) => (answer) => {
            worker?.terminate();
            settle(answer);
        };
        const hear = ({ records, thrown }) => {
            if (thrown) end(failed)(new MillError(thrown.code, thrown.message));
            else end(done)(records);
        };
        startWorker(hear, end(failed), (started) => {
            worker = started;
            worker.postMessage({ ...options, read: { text: String(text), rules: optional(rules) } });
        });
    });
}

export async function load(options = {}) {
    await loadWasm(options);
    return new Library();
}

class BuiltInExplorer {
    #options;
    /** The tablebase of each set of rules. */
    #tablebases = new Map();

    constructor(options) {
        this.#options = options;
    }

    async probe(game, { signal } = {}) {
        signal?.throwIfAborted();
        // The caller may go on with its game before the files are there.
        const copy = game.clone();
        try {
            return await this.#probe(copy, signal);
        } finally {
            copy.free();
        }
    }

    async #probe(game, signal) {
        const rules = game.ruleOptions().join();
        const [fault] = this.#tablebases.has(rules) ? [] : await orAborted(this.#load(game), signal);
        const kept = this.#tablebases.get(rules);
        const tablebase = kept ?? call(() => WasmBuiltIn.of(game.inner));
        try {
            const answer = JSON.parse(call(() => tablebase.probe(game.inner)));
            const isKnown = [answer, ...answer.moves].some(({ value }) => value !== null);
            if (fault && !isKnown) throw fault;
            return {
                ...answer,
                isWhole: true,
                cost: { requests: 0, bytes: 0, cached: 0 },
                notes: [],
                absent: [],
                unsized: [],
            };
        } finally {
            // The next probe asks again for the file that is missing.
            if (fault && !kept) tablebase.free();
            else this.#tablebases.set(rules, tablebase);
        }
    }

    /** Loads the files for the rules of a game that are not left out. Returns what is thrown. */
    async #load(game) {
        const names = namesOf(WasmBuiltIn.files(game.inner));
        const wanted = names.filter((name) => !leftOut(name, this.#options));
        const loads = wanted.map((name) => loadBuiltIn(name, this.#options));
        return (await Promise.allSettled(loads)).flatMap(({ reason }) => reason ?? []);
    }

    memory() {
        return { ranges: 0, bytes: 0, evicted: 0 };
    }

    close() {
        for (const tablebase of this.#tablebases.values()) tablebase.free();
        this.#tablebases.clear();
    }
}

export async function openTablebase(url, options = {}) {
    await loadWasm(options);
    if (url !== null) return new RemoteExplorer(url, options);
    // For an engine an empty text leaves the file out, but here nothing would be left.
    if (options.tablebaseUrl === "")
        throw new MillError("bad-argument", "found '' as tablebaseUrl, expected the address of a file");
    await loadBuiltIn("tablebase", options);
    return new BuiltInExplorer(options);
}

/** Loads a file of the built-in tablebase. */
async function loadBuiltIn(name, options) {
    const file = fileName(addressOfTables(name, options));
    try {
        await loadTables(name, options);
    } catch (error) {
        const code = error instanceof MillError ? error.code : "network";
        throw new MillError(code, `the built-in tablebase cannot be loaded: ${error.message ?? error}`, file);
    }
}

/** Returns what a promise gives, unless the signal aborts before. */
function orAborted(promise, signal) {
    if (!signal) return promise;
    return new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
}
