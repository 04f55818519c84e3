// Explores a tablebase on a static host through range requests. The module says which ranges of which files
// it needs; this fetches them, keeps them, and asks again.

import { WasmRemote, new_game } from "./dist/millstone.js";
import { MillError, call } from "./error.js";
import { PARALLEL, choose, fits, plan, size, withMore } from "./plan.js";
import { Memory, Store } from "./store.js";

/** The requests and the bytes that an answer may cost before parts of it are left out. */
const MOST_REQUESTS = 10;
const MOST_BYTES = 200_000;
/** What is kept for the value of the position, if not all moves can have theirs. */
const RESERVE = { requests: 3, bytes: 40_000 };
/** The parts of an answer, the most important first. What is `ahead` may turn out not to be needed. */
const PARTS = ["move", "position", "extra"];
/**
 * The rounds after which a probe is given up: headers, blocks, both once more for replies, and repetitions.
 */
const MOST_ROUNDS = 24;
/** Milliseconds that an answer waits at least for what is fetched ahead, once it has what it needs. */
const PATIENCE = 100;
/** Answers of a host that may be different in a moment, beside those from 500 on. */
const PASSING = [408, 425, 429];

/** Waits, until the signal is given at most. */
const sleep = (time, signal) =>
    new Promise((resolve) => {
        const clock = setTimeout(resolve, time);
        signal.addEventListener("abort", () => (clearTimeout(clock), resolve()), { once: true });
    });

/** Waits for a promise that is never rejected, until the signal is given at most. */
const waitFor = (promise, signal) =>
    new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", resolve, { once: true });
        void promise.then(() => (signal.removeEventListener("abort", resolve), resolve()));
    });

/** Does work in a moment when nothing else is to be done. */
const later = (job) =>
    globalThis.requestIdleCallback ? requestIdleCallback(job, { timeout: 2000 }) : setTimeout(job, 100);

/** Stands for the length of a file of which the host does not tell it. */
const UNSIZED = Number.MAX_SAFE_INTEGER;

/** A position for `prepare`: any one of the moving phase, with so many men on each side. */
function any(men) {
    const points = "O@".repeat(men).padEnd(24, "*");
    const rings = [0, 8, 16].map((ring) => points.slice(ring, ring + 8));
    return `${rings.join("/")} w m s ${men} 0 ${men} 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes`;
}

let isPrepared = false;

/** The name without ending of the files of a position's sector. */
function sectorOf(game) {
    const { side, board, hands } = game.state();
    const men = (color) => board.split(color).length - 1;
    const [white, black] = [
        [men("w"), hands[0]],
        [men("b"), hands[1]],
    ];
    const [own, theirs] = side === "w" ? [white, black] : [black, white];
    return [own[0], theirs[0], own[1], theirs[1]].join("_");
}

/**
 * Asks once which ranges positions need: the browser then has compiled that part before it is urgent, and the
 * module has made its lists for each number of men.
 */
function prepare() {
    if (isPrepared || !globalThis.requestIdleCallback) return;
    isPrepared = true;
    const ask = (men) => {
        const game = new_game("nine", any(men));
        const tablebase = WasmRemote.of(game);
        tablebase.begin();
        tablebase.probe(game);
        tablebase.free();
        game.free();
        if (men < 9) later(() => ask(men + 1));
    };
    later(() => ask(3));
}

/** Reads the address of a folder. What a request for a file in it could not carry is refused. */
function folderUrl(text) {
    // A password is not shown.
    let url;
    try {
        url = new URL(text, globalThis.location?.href);
    } catch {
        const shown = String(text).replace(/:(?!\/\/).*@/, ":…@");
        throw new MillError("bad-argument", `found '${shown}', expected the address of a folder`);
    }
    const user = url.username || (url.password && ":…");
    const rest = url.search || url.hash || (user && `${user}@`);
    const isWeb = ["http:", "https:"].includes(url.protocol);
    if (rest || !isWeb) {
        throw new MillError(
            "bad-argument",
            `found '${rest || url.protocol}', expected the http address of a folder alone`,
        );
    }
    if (!url.pathname.endsWith("/")) url.pathname += "/";
    return url;
}

export class RemoteExplorer {
    #url;
    #attempts;
    #timeout;
    #most;
    #memory;
    #cacheName;
    /** Ranges that Cache Storage does not have yet. */
    #unsaved = [];
    /** The tablebase of each set of rules. */
    #tablebases = new Map();
    /** The files that the host does not have. */
    #absent = new Set();
    /** The files of which the host does not tell the length. */
    #unsized = new Set();
    /** The last probe, for which the next one waits; null if it has ended. */
    #turn = null;
    #abort = new AbortController();

    constructor(url, options = {}) {
        this.#url = folderUrl(url);
        this.#attempts = options.attempts ?? 4;
        this.#timeout = options.timeout ?? 8000;
        this.#memory = new Memory(options.memory ?? 32 << 20);
        this.#most = { requests: options.requests ?? MOST_REQUESTS, bytes: options.bytes ?? MOST_BYTES };
        this.#cacheName = options.cache === undefined ? "millstone-tables" : options.cache;
        Store.open(this.#cacheName);
        prepare();
    }

    close() {
        this.#abort.abort(new MillError("network", "the explorer is closed"));
        for (const tablebase of this.#tablebases.values()) tablebase.free();
        this.#tablebases.clear();
    }

    memory() {
        return this.#memory.counts();
    }

    async probe(game, { whole = false, again = false, signal } = {}) {
        const asker = signal ? AbortSignal.any([signal, this.#abort.signal]) : this.#abort.signal;
        // The caller may go on with its game before the answer is there.
        const copy = game.clone();
        // Begun at once if possible: the caller may have much to do before it waits.
        const ask = () => this.#probe(copy, whole, again, asker);
        const before = this.#turn;
        const answer = (before ? waitFor(before, asker).then(ask) : ask()).finally(() => copy.free());
        // A probe that is given up before its turn does not end the one before.
        const turn = Promise.allSettled([before, answer]).then(() => {
            if (this.#turn === turn) this.#turn = null;
            void this.#save();
        });
        this.#turn = turn;
        return answer;
    }

    async #probe(game, whole, isAgain, asker) {
        asker.throwIfAborted();
        const rules = game.ruleOptions().join();
        if (!this.#tablebases.has(rules))
            this.#tablebases.set(
                rules,
                call(() => WasmRemote.of(game.inner)),
            );
        const tablebase = this.#tablebases.get(rules);
        const cost = { requests: 0, bytes: 0, cached: 0 };
        // Repetitions of failed requests cost, but do not make the answer shorter.
        const left = whole ? { requests: Infinity, bytes: Infinity } : { ...this.#most };
        const state = {
            cost,
            left,
            asker,
            isWhole: true,
            lacksMoves: false,
            lacksExtras: false,
            again: new Set(),
            spent: new Map(),
            failures: [],
        };
        const { again } = state;
        if (isAgain) {
            for (const file of this.#absent)
                for (const known of this.#tablebases.values()) known.forget(file);
            this.#absent.clear();
            for (const file of this.#unsized) {
                await this.#forget(file);
                asker.throwIfAborted();
                for (const known of this.#tablebases.values()) known.forget(file);
            }
            this.#unsized.clear();
        }
        tablebase.begin();
        for (const file of this.#absent) tablebase.put_absent(file);
        for (let round = 0; round < MOST_ROUNDS; round++) {
            asker.throwIfAborted();
            const { answer, missing, damaged, absent } = JSON.parse(call(() => tablebase.probe(game.inner)));
            if (damaged) {
                // A file is fetched anew once: a cache or the line may have damaged it, not the host.
                const { file, message, code } = damaged;
                await this.#forget(file);
                asker.throwIfAborted();
                if (again.has(file)) {
                    // Without replies and statistics there may still be an answer.
                    if (state.lacksExtras) throw new MillError(code, message, file);
                    this.#leaveOutExtras(tablebase, message, state);
                    continue;
                }
                again.add(file);
                tablebase.forget(file);
                const { requests = 0, bytes = 0 } = state.spent.get(file) ?? {};
                left.requests += requests;
                left.bytes += bytes;
            } else if (missing) {
                await this.#supply(tablebase, missing, state);
            } else {
                if (absent.length > 0 && state.isWhole && answer.moves.every((move) => move.value === null)) {
                    const list = absent.join(", ");
                    throw new MillError(
                        "missing",
                        `found no ${list} at ${this.#url}, expected the file`,
                        absent[0],
                    );
                }
                const unsized = answer.sector === null ? this.#unsizedOf(game) : [];
                const notes = [
                    ...absent.map((file) => `${file} is missing`),
                    ...unsized.map(
                        (file) =>
                            `${file} has no statistics: the host does not tell its length (Content-Range)`,
                    ),
                    ...state.failures,
                ];
                return { ...answer, isWhole: state.isWhole, cost, notes, absent, unsized };
            }
        }
        throw new MillError("damaged", `the tablebase files at ${this.#url} are not what their heads say`);
    }

    /** Returns the file that would have the statistics of a position's sector if its length were known. */
    #unsizedOf(game) {
        const sector = sectorOf(game);
        return [...this.#unsized].filter((file) => file.startsWith(`${sector}.`)).slice(0, 1);
    }

    /** Gets ranges from the caches or the host. The tablebase may be gone after any wait: see `close`. */
    async #supply(tablebase, missing, state) {
        const { cost, left } = state;
        // What matters most comes first. The rest may then turn out to be there, or not to be needed.
        const part = PARTS.find((name) => missing.some((range) => range.part === name));
        let ranges = missing.filter((range) => !this.#put(tablebase, range, cost));
        // No wait, not even for a moment, if there is nothing to wait for.
        const opened = Store.open(this.#cacheName);
        const store = opened instanceof Promise ? await opened : opened;
        state.asker.throwIfAborted();
        const pieces = this.#pieces(store, ranges);
        if (pieces.size > 0) {
            await Promise.all([...pieces].map(([piece, file]) => this.#recall(store, piece, file)));
            state.asker.throwIfAborted();
            ranges = ranges.filter((range) => !this.#put(tablebase, range, cost));
        }
        let needed = ranges.filter((range) => range.part === part);
        if (needed.length === 0) return;
        // The value of the position is needed if not all moves have theirs; replies to moves without a value
        // are not.
        let more =
            part === "move" && !state.lacksMoves
                ? [["extra", "ahead"], ["extra"]]
                : [["position", "extra"], ["position"]];
        let requests = plan(needed, left);
        if (!fits(requests, left)) {
            state.isWhole = false;
            if (part === "extra") return tablebase.leave_out_extras();
            if (part === "position") return tablebase.leave_out_position();
            // Without room for the value of the position, at least some moves.
            const reserved = choose(needed, {
                requests: left.requests - RESERVE.requests,
                bytes: left.bytes - RESERVE.bytes,
            });
            const { leftOut, requests: chosen } =
                reserved.requests.length > 0 ? reserved : choose(needed, left);
            tablebase.leave_out_moves(Uint16Array.from(leftOut));
            state.lacksMoves = true;
            needed = needed.filter(({ moves }) => moves.some((move) => !leftOut.has(move)));
            requests = chosen;
            more = [["position"]];
        }
        requests = withMore(requests, needed, ranges, left, more);
        left.requests -= requests.length;
        left.bytes -= size(requests);
        for (const { file, start, end } of requests) {
            const { requests: count = 0, bytes = 0 } = state.spent.get(file) ?? {};
            state.spent.set(file, { requests: count + 1, bytes: bytes + end - start });
        }
        try {
            await this.#fetchAll(tablebase, requests, needed, state);
        } catch (error) {
            // Without replies and statistics there still is an answer.
            if (part !== "extra" || state.asker.aborted || !(error instanceof MillError)) throw error;
            this.#leaveOutExtras(tablebase, error.message, state);
        }
    }

    /** Leaves out what cannot be read. To ask for the whole answer would not help, as if it were too dear. */
    #leaveOutExtras(tablebase, message, state) {
        state.lacksExtras = true;
        state.failures.push(message);
        tablebase.leave_out_extras();
    }

    /** Fetches the ranges of a plan. It fails if what is needed cannot be had; the rest may stay away. */
    async #fetchAll(tablebase, requests, needed, { cost, asker }) {
        const isNeeded = ({ file, start, end }) =>
            needed.some((range) => range.file === file && start <= range.start && range.end <= end);
        const [must, may] = [requests.filter(isNeeded), requests.filter((request) => !isNeeded(request))];
        const stop = new AbortController();
        const signal = AbortSignal.any([stop.signal, asker]);
        const begin = performance.now();
        let open = must.length;
        let clock;
        const patience = () => Math.max(PATIENCE, performance.now() - begin);
        const queue = [...must, ...may];
        const work = async () => {
            for (let request = queue.shift(); request; request = queue.shift()) {
                const how = { cost, signal, asker };
                if (must.includes(request)) {
                    await this.#fetchInto(tablebase, request, { ...how, attempts: this.#attempts });
                    open -= 1;
                    // What is needed is there: the rest may take as long again.
                    if (open === 0) clock = setTimeout(() => stop.abort(), patience());
                } else if (!signal.aborted) {
                    await this.#fetchInto(tablebase, request, { ...how, attempts: 1 }).catch(() => {});
                }
            }
        };
        try {
            await Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, work));
        } catch (error) {
            stop.abort();
            asker.throwIfAborted();
            throw error;
        } finally {
            clearTimeout(clock);
        }
    }

    async #fetchInto(tablebase, request, how) {
        const { file, start, end } = request;
        const found = await this.#fetch(request, how);
        how.asker.throwIfAborted();
        if (!found) {
            this.#absent.add(file);
            tablebase.put_absent(file);
            return;
        }
        const { bytes, length } = found;
        this.#absent.delete(file);
        this.#noteLength(file, length);
        tablebase.put(file, start, length, bytes);
        if (bytes.length !== end - start) return;
        this.#memory.add({ file, start, end, bytes, length });
        this.#unsaved.push({ file: this.#address(file), start, end, bytes, length });
    }

    #noteLength(file, length) {
        if (length === UNSIZED) this.#unsized.add(file);
        else this.#unsized.delete(file);
    }

    /** Fetches a range; null if there is no such file. Failures are repeated a few times. */
    async #fetch(request, { cost, attempts, signal }) {
        const { file, start, end } = request;
        let [code, cause] = ["network", ""];
        for (let attempt = 0; attempt < attempts && !signal.aborted; attempt++) {
            if (attempt > 0) await sleep(50 * 3 ** attempt * (1 + Math.random()), signal);
            cost.requests += 1;
            const timer = new AbortController();
            const clock = setTimeout(() => timer.abort(), this.#timeout);
            try {
                const response = await fetch(this.#address(file), {
                    headers: { Range: `bytes=${start}-${end - 1}` },
                    signal: AbortSignal.any([timer.signal, signal]),
                    // The memory and Cache Storage keep what is worth it. The browser's own cache would let
                    // requests for parts of one file wait for each other.
                    cache: "no-store",
                });
                if (response.status !== 206) {
                    await response.body?.cancel();
                    if (response.status === 404 || response.status === 410) return null;
                    this.#refuse(response, request);
                    [code, cause] = ["refused", `the host answers ${response.status}`];
                    continue;
                }
                const bytes = new Uint8Array(await response.arrayBuffer());
                cost.bytes += bytes.length;
                const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
                // Without the header, as from a host that does not let pages read it, the bytes alone count.
                const length = range ? Number(range[3]) : UNSIZED;
                const found = [range ? Number(range[1]) : start, bytes.length];
                const expected = [start, Math.min(end, length) - start];
                if (found.join() !== expected.join()) {
                    const text = ([from, count]) => `${count} bytes from ${from} on`;
                    code = "truncated";
                    cause = `found ${text(found)}, expected ${text(expected)}`;
                    continue;
                }
                return { bytes, length };
            } catch (error) {
                if (error instanceof MillError) throw error;
                code = "network";
                cause = timer.signal.aborted
                    ? "the server does not answer in time"
                    : String(error.message ?? error);
            } finally {
                clearTimeout(clock);
            }
        }
        const often = attempts === 1 ? "one attempt" : `${attempts} attempts`;
        throw new MillError(code, `${file} cannot be read after ${often}: ${cause}`, file);
    }

    /**
     * Throws the error that an answer without a part of a file stands for, unless another attempt may help.
     */
    #refuse(response, { file, start, end }) {
        const { status, headers } = response;
        const total = Number(/^bytes \*\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] ?? NaN);
        const isEmpty =
            status === 200
                ? headers.get("content-length") === "0"
                : status === 416 && (start === 0 || total === 0);
        if (isEmpty)
            throw new MillError(
                "empty",
                `found no byte in ${file} at ${this.#url}, expected a tablebase file`,
                file,
            );
        if (status === 200) {
            // The whole file, of any length: not what was asked for.
            if (/^text\/html\b/.test(headers.get("content-type") ?? "")) {
                throw new MillError(
                    "missing",
                    `found a web page in the place of ${file} at ${this.#url}, expected the file`,
                    file,
                );
            }
            throw new MillError(
                "no-ranges",
                `${this.#url} sends whole files, expected a host that answers range requests`,
                file,
            );
        }
        if (status === 416) {
            // The file ends before the range: it is not the file that its header says it is.
            const found = Number.isNaN(total) ? `at most ${start}` : total;
            throw new MillError(
                "damaged",
                `${file} is too short: found ${found} bytes, expected ${end} or more`,
                file,
            );
        }
        if (status < 500 && !PASSING.includes(status)) {
            const text = `the host answers ${status} for ${file} at ${this.#url}, expected 206 and a part of the file`;
            throw new MillError("refused", text, file);
        }
    }

    #address(file) {
        return new URL(encodeURIComponent(file), this.#url).href;
    }

    /** Gives a range to the tablebase. Returns false if it is not in memory. */
    #put(tablebase, range, cost) {
        const kept = this.#memory.find(range);
        if (!kept) return false;
        cost.cached += range.end - range.start;
        this.#noteLength(range.file, kept.length);
        const bytes = kept.bytes.subarray(range.start - kept.start, range.end - kept.start);
        tablebase.put(range.file, range.start, kept.length, bytes);
        return true;
    }

    /** Returns the pieces of Cache Storage that hold some of the ranges, with the names of their files. */
    #pieces(store, ranges) {
        const pieces = new Map();
        for (const range of store ? ranges : []) {
            const piece = store.find({ ...range, file: this.#address(range.file) });
            if (piece) pieces.set(piece, range.file);
        }
        return pieces;
    }

    /** Reads a piece from Cache Storage into memory, if it is still there. */
    async #recall(store, piece, file) {
        const kept = await store.read(piece);
        if (kept) this.#memory.add({ ...kept, file, start: piece.start, end: piece.end });
    }

    /** Keeps what was fetched, once the answer is given. */
    async #save() {
        const ranges = this.#unsaved.splice(0);
        const store = await Store.open(this.#cacheName);
        if (!store || ranges.length === 0) return;
        later(async () => {
            for (const range of ranges) await store.put(range);
        });
    }

    async #forget(file) {
        this.#memory.deleteFile(file);
        this.#unsaved = this.#unsaved.filter((range) => range.file !== this.#address(file));
        const store = await Store.open(this.#cacheName);
        await store?.deleteFile(this.#address(file));
    }
}
