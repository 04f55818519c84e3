// Drives a session: hands over lines, gives it slices of time, and passes on what it writes.

import { WasmSession } from "./dist/millstone.js";
import { addressOfFile, leftOut, namesOf } from "./files.js";
import { WAITED } from "./waited.js";
import { bytesAt, loadTables } from "./wasm.js";

/** Calls a function after the events that wait. */
const soon = (() => {
    if (typeof setImmediate === "function") return setImmediate;
    const { port1, port2 } = new MessageChannel();
    const waiting = [];
    port1.onmessage = () => waiting.shift()();
    return (call) => {
        waiting.push(call);
        port2.postMessage(0);
    };
})();

export class Driver {
    #session;
    #options;
    #write;
    #onEnd;
    #isScheduled = false;
    #timer;
    #isOver = false;
    /** The names of the tablebase files that have arrived, or are on their way. */
    #tables = new Set();
    /** The names of the files that searches want and that are being fetched. */
    #fetching = new Set();

    /** `write` gets each line, `onEnd` is called after `quit`. */
    constructor(options, write, onEnd = () => {}) {
        this.#session = new WasmSession();
        this.#options = options;
        this.#write = write;
        this.#onEnd = onEnd;
    }

    /** Takes a line, or several. */
    line(text) {
        if (this.#isOver) return;
        for (const line of String(text).split(/\r?\n/)) this.#session.line(line);
        this.#flush();
        this.#fetch();
        this.#schedule();
    }

    /** Ends the input: what has begun is finished. */
    end() {
        if (this.#isOver) return;
        this.#session.end();
        this.#schedule();
    }

    /** Fetches what searches want: a file that they wait for, then the tablebase. */
    #fetch() {
        const wanted = this.#session.wanted_file();
        if (wanted) this.#fetchWanted(wanted);
        namesOf(this.#session.wanted_tables()).forEach((name) => this.#fetchTables(name));
    }

    #fetchWanted(name) {
        if (this.#fetching.has(name)) return;
        this.#fetching.add(name);
        const end = (action) => (result) => {
            this.#fetching.delete(name);
            if (this.#isOver) return;
            action(result);
            this.#schedule();
        };
        const fail = end((error) => this.#session.miss_file(name, error.message ?? String(error)));
        const option = leftOut(name, this.#options);
        if (option) return fail(new Error(`${option} leaves it out`));
        const fetched = async () => bytesAt(addressOfFile(name, WAITED[name], this.#options));
        fetched().then(
            end((bytes) => this.#session.provide_file(name, bytes)),
            fail,
        );
    }

    #fetchTables(name) {
        if (this.#tables.has(name) || leftOut(name, this.#options)) return;
        this.#tables.add(name);
        loadTables(name, this.#options).then(
            () => this.#isOver || this.#session.tablebase_arrived(),
            (error) => {
                this.#tables.delete(name);
                const why = error.message ?? error;
                const isDamaged = error.code === "damaged";
                this.#write(`info string ${isDamaged ? why : `the built-in tablebase is missing: ${why}`}`);
            },
        );
    }

    #schedule() {
        if (this.#isScheduled) return;
        this.#isScheduled = true;
        clearTimeout(this.#timer);
        soon(() => {
            this.#isScheduled = false;
            this.#step();
        });
    }

    #step() {
        if (this.#isOver) return;
        const next = this.#session.advance();
        this.#flush();
        if (next === 0) this.#schedule();
        else if (next > 0) this.#timer = setTimeout(() => this.#schedule(), Math.min(next, 1 << 30));
        else if (next === -2) {
            this.#isOver = true;
            return this.#onEnd();
        }
        this.#fetch();
    }

    #flush() {
        const text = this.#session.take_lines();
        if (text) for (const line of text.slice(0, -1).split("\n")) this.#write(line);
    }
}
