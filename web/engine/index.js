// The public interface; index.d.ts describes it.

import { isNode, loadTables, loadWasm } from "./wasm.js";
import { MillError, call } from "./error.js";
import { RemoteExplorer } from "./remote.js";

export { MillError };

export class Engine {
    #worker;
    #listeners = new Set();
    #failures = new Set();
    #queue = [];
    #isClosed = false;

    constructor(options = {}) {
        this.#queue.push({ ...options });
        if (isNode) {
            import("node:worker_threads").then(({ Worker }) => {
                if (this.#isClosed) return;
                const worker = new Worker(new URL("./worker.js", import.meta.url));
                worker.on("message", (line) => this.#hear(line));
                worker.on("error", (error) => this.#fail(error));
                this.#use(worker);
            });
            return;
        }
        const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
        worker.onmessage = (event) => this.#hear(event.data);
        worker.onerror = (event) => this.#fail(new Error(event.message || "the worker cannot be loaded"));
        this.#use(worker);
    }

    #use(worker) {
        this.#worker = worker;
        this.#queue.splice(0).forEach((message) => worker.postMessage(message));
    }

    #hear(line) {
        for (const listener of [...this.#listeners]) listener(line);
    }

    #fail(error) {
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

/** Frees the memory of games that nobody holds any more. */
const registry = new FinalizationRegistry((inner) => inner.free());

class Game {
    #inner;
    #board;

    constructor(inner) {
        this.#inner = inner;
        registry.register(this, inner, this);
    }

    /** For explorers. */
    get inner() {
        return this.#inner;
    }

    get rules() {
        return this.#inner.rules();
    }

    #geometry() {
        this.#board ??= JSON.parse(this.#inner.board());
        return this.#board;
    }

    points() {
        return this.#geometry().points;
    }

    lines() {
        return this.#geometry().lines;
    }

    fen() {
        return this.#inner.fen();
    }

    ply() {
        return this.#inner.ply();
    }

    plies() {
        return this.#inner.plies();
    }

    goto(ply) {
        if (!Number.isInteger(ply) || ply < 0) throw new MillError("bad-argument", `found ${ply}, expected a ply`);
        call(() => this.#inner.goto(ply));
    }

    legal() {
        const text = this.#inner.legal();
        return text ? text.split(" ") : [];
    }

    play(move) {
        call(() => this.#inner.play(String(move)));
    }

    undo() {
        const ply = this.ply();
        if (ply > 0) this.#inner.goto(ply - 1);
        return ply > 0;
    }

    redo() {
        const ply = this.ply();
        const isPossible = ply < this.plies();
        if (isPossible) this.#inner.goto(ply + 1);
        return isPossible;
    }

    state() {
        return JSON.parse(this.#inner.state());
    }

    moves() {
        return JSON.parse(this.#inner.moves());
    }

    positionCommand() {
        return this.#inner.position_command();
    }

    ruleOptions() {
        return this.#inner.rule_options().split("\n");
    }

    tag(name) {
        return this.#inner.tag(String(name)) ?? null;
    }

    setTag(name, value) {
        call(() => this.#inner.set_tag(String(name), String(value)));
    }

    setResult(result) {
        call(() => this.#inner.set_result(String(result)));
    }

    result() {
        return this.#inner.result();
    }

    write(form) {
        return call(() => this.#inner.write(String(form)));
    }

    svg() {
        return this.#inner.svg();
    }

    symmetry(number) {
        return new Game(call(() => this.#inner.symmetry(number)));
    }

    clone() {
        return new Game(this.#inner.copy());
    }

    free() {
        registry.unregister(this);
        this.#inner.free();
    }
}

class Library {
    #wasm;

    constructor(wasm) {
        this.#wasm = wasm;
    }

    version() {
        return this.#wasm.version();
    }

    ruleSets() {
        return JSON.parse(this.#wasm.rule_sets());
    }

    newGame(rules, position) {
        return new Game(call(() => this.#wasm.new_game(String(rules), position)));
    }

    readGames(text, rules) {
        const reading = call(() => this.#wasm.read_games(String(text), rules));
        try {
            const games = Array.from({ length: reading.len() }, (_, n) => new Game(call(() => reading.game(n))));
            return { games, ...JSON.parse(reading.messages()) };
        } finally {
            reading.free();
        }
    }

    readGame(text, rules) {
        const { games, errors } = this.readGames(text, rules);
        if (errors.length > 0 || games.length === 0) {
            throw new MillError("bad-record", errors[0] ?? "found no game, expected a record or a position text");
        }
        return games[0];
    }
}

export async function load(options = {}) {
    return new Library(await loadWasm(options));
}

class BuiltInExplorer {
    #wasm;

    constructor(wasm) {
        this.#wasm = wasm;
    }

    async probe(game) {
        const answer = JSON.parse(call(() => this.#wasm.probe_built_in(game.inner)));
        return { ...answer, isWhole: true, cost: { requests: 0, bytes: 0, cached: 0 }, notes: [] };
    }

    memory() {
        return { ranges: 0, bytes: 0, evicted: 0 };
    }

    close() {}
}

export async function openTablebase(url, options = {}) {
    const wasm = await loadWasm(options);
    if (url !== null) return new RemoteExplorer(wasm, url, options);
    try {
        await loadTables(wasm, options);
    } catch (error) {
        throw new MillError("network", `the built-in tables cannot be loaded: ${error.message ?? error}`);
    }
    return new BuiltInExplorer(wasm);
}
