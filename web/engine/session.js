// Drives a session: hands over lines, gives it slices of time, and passes on what it writes.

import { certificateBytes, loadTablebase } from "./wasm.js";

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
    #wasm;
    #session;
    #options;
    #write;
    #onEnd;
    #isScheduled = false;
    #timer;
    #isOver = false;
    #wantsTablebase = false;
    #hasTablebase = false;
    #fetchesCertificate = false;

    /** `write` gets each line, `onEnd` is called after `quit`. */
    constructor(wasm, options, write, onEnd = () => {}) {
        this.#wasm = wasm;
        this.#session = new wasm.WasmSession();
        this.#options = options;
        this.#write = write;
        this.#onEnd = onEnd;
    }

    /** Takes a line, or several. */
    line(text) {
        if (this.#isOver) return;
        for (const line of String(text).split(/\r?\n/)) {
            this.#session.line(line);
            if (/^\s*(go|analyze)\b/.test(line)) this.#wantsTablebase = true;
        }
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

    /** Fetches what searches want. The certificate comes first, because a search may wait for it. */
    #fetch() {
        if (this.#session.wants_certificate()) this.#fetchCertificate();
        if (this.#wantsTablebase && !this.#session.awaits_certificate()) this.#fetchTablebase();
    }

    #fetchCertificate() {
        if (this.#fetchesCertificate) return;
        this.#fetchesCertificate = true;
        const end = (action) => (result) => {
            this.#fetchesCertificate = false;
            if (this.#isOver) return;
            action(result);
            this.#schedule();
        };
        const fail = end((error) => this.#session.miss_certificate(error.message ?? String(error)));
        if (this.#options.certificateUrl === "") return fail(new Error("certificateUrl leaves it out"));
        certificateBytes(this.#options).then(
            end((bytes) => this.#session.provide_certificate(bytes)),
            fail,
        );
    }

    #fetchTablebase() {
        this.#wantsTablebase = false;
        if (this.#hasTablebase || this.#options.tablebaseUrl === "") return;
        this.#hasTablebase = true;
        loadTablebase(this.#wasm, this.#options).then(
            () => this.#isOver || this.#session.tablebase_arrived(),
            (error) => {
                this.#hasTablebase = false;
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
