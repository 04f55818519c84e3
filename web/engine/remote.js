// Explores tables on a static host through range requests. The module says which ranges of which files it
// needs; this fetches them, keeps them, and asks again.

import { MillError, call } from "./error.js";

/** The requests and the bytes that an answer may cost before parts of it are left out. */
const MOST_REQUESTS = 10;
const MOST_BYTES = 200_000;
/** What is kept for the value of the position, if not all moves can have theirs. */
const RESERVE = { requests: 3, bytes: 40_000 };
/** The parts of an answer, the most important first. */
const PARTS = ["move", "position", "extra"];
/** Ranges of one file with a smaller gap are fetched together. */
const GAP = 4096;
/** The largest gap that is bridged if the answer would take too many requests otherwise. */
const WIDEST_GAP = 65_536;
/** The rounds after which a probe is given up: headers, blocks, both once more for replies, and repetitions. */
const MOST_ROUNDS = 24;
/** Requests at a time. */
const PARALLEL = 6;

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** An LRU of ranges, by bytes. */
class Memory {
    #most;
    #used = 0;
    #evicted = 0;
    #ranges = new Map();

    constructor(most) {
        this.#most = most;
    }

    /** Ranges and bytes that are kept, and the ranges that had to make room. */
    counts() {
        return { ranges: this.#ranges.size, bytes: this.#used, evicted: this.#evicted };
    }

    get(key) {
        const entry = this.#ranges.get(key);
        if (entry) {
            this.#ranges.delete(key);
            this.#ranges.set(key, entry);
        }
        return entry;
    }

    set(key, entry) {
        this.delete(key);
        this.#ranges.set(key, entry);
        this.#used += entry.bytes.length;
        for (const oldest of this.#ranges.keys()) {
            if (this.#used <= this.#most) break;
            this.delete(oldest);
            this.#evicted += 1;
        }
    }

    delete(key) {
        const entry = this.#ranges.get(key);
        if (!entry) return;
        this.#used -= entry.bytes.length;
        this.#ranges.delete(key);
    }

    deleteFile(file) {
        for (const key of [...this.#ranges.keys()]) if (key.startsWith(`${file}:`)) this.delete(key);
    }
}

/** Puts ranges of the same file together if the gap between them is small. */
function merge(ranges, gap) {
    const merged = [];
    for (const range of [...ranges].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start))) {
        const last = merged.at(-1);
        if (last && last.file === range.file && range.start - last.end <= gap) {
            last.end = Math.max(last.end, range.end);
            last.parts.push(range);
        } else merged.push({ file: range.file, start: range.start, end: range.end, parts: [range] });
    }
    return merged;
}

const size = (requests) => requests.reduce((sum, { start, end }) => sum + end - start, 0);

/** Plans the requests for ranges: half of those that are left, unless they would take too many bytes. */
function plan(ranges, left) {
    let requests = merge(ranges, GAP);
    for (let gap = 2 * GAP; gap <= WIDEST_GAP && requests.length > Math.max(2, left.requests >> 1); gap *= 2) {
        const fewer = merge(ranges, gap);
        if (size(fewer) > left.bytes) break;
        requests = fewer;
    }
    return requests;
}

const fits = (requests, left) => requests.length <= left.requests && size(requests) <= left.bytes;

/** Chooses the moves whose ranges can be fetched, the cheapest ones first. */
function choose(ranges, left) {
    const rest = new Set(ranges.flatMap((range) => range.moves));
    const chosen = new Set();
    let planned = [];
    for (;;) {
        let best = null;
        for (const move of rest) {
            const isNeeded = (number) => number === move || chosen.has(number);
            const attempt = plan(ranges.filter((range) => range.moves.some(isNeeded)), left);
            if (!fits(attempt, left)) continue;
            const isWorse = best && (attempt.length - best.attempt.length || size(attempt) - size(best.attempt)) >= 0;
            if (!isWorse) best = { move, attempt };
        }
        if (!best) return { requests: planned, leftOut: rest };
        chosen.add(best.move);
        rest.delete(best.move);
        planned = best.attempt;
    }
}

export class RemoteExplorer {
    #wasm;
    #url;
    #attempts;
    #timeout;
    #most;
    #memory;
    #cacheName;
    #opening;
    /** The tables of each set of rules. */
    #tables = new Map();
    /** The lengths of the files, by name; null for a file that does not exist. */
    #lengths = new Map();
    /** Probes wait for each other. */
    #turn = Promise.resolve();
    #abort = new AbortController();

    constructor(wasm, url, options = {}) {
        this.#wasm = wasm;
        this.#url = new URL(url.endsWith("/") ? url : `${url}/`, globalThis.location?.href);
        this.#attempts = options.attempts ?? 4;
        this.#timeout = options.timeout ?? 8000;
        this.#memory = new Memory(options.memory ?? 32 << 20);
        this.#most = { requests: options.requests ?? MOST_REQUESTS, bytes: options.bytes ?? MOST_BYTES };
        this.#cacheName = options.cache === undefined ? "millstone-tables" : options.cache;
        this.#cache();
    }

    close() {
        this.#abort.abort();
        for (const tables of this.#tables.values()) tables.free();
        this.#tables.clear();
    }

    memory() {
        return this.#memory.counts();
    }

    probe(game, { whole = false } = {}) {
        const answer = this.#turn.then(() => this.#probe(game, whole));
        this.#turn = answer.catch(() => {});
        return answer;
    }

    async #probe(game, whole) {
        if (this.#abort.signal.aborted) throw new MillError("network", "the explorer is closed");
        const rules = game.ruleOptions().join();
        if (!this.#tables.has(rules)) this.#tables.set(rules, call(() => this.#wasm.WasmTables.of(game.inner)));
        const tables = this.#tables.get(rules);
        const cost = { requests: 0, bytes: 0, cached: 0 };
        // Repetitions of failed requests cost, but do not make the answer shorter.
        const left = whole ? { requests: Infinity, bytes: Infinity } : { ...this.#most };
        const state = { cost, left, isWhole: true, again: new Set() };
        const { again } = state;
        tables.begin();
        for (const [file, length] of this.#lengths) if (length === null) tables.put_absent(file);
        for (let round = 0; round < MOST_ROUNDS; round++) {
            const { answer, missing, damaged, absent } = JSON.parse(call(() => tables.probe(game.inner)));
            if (damaged) {
                // A file is fetched anew once: a cache or the line may have damaged it, not the host.
                const { file, message } = damaged;
                await this.#forget(file);
                if (again.has(file)) throw new MillError("damaged", message, file);
                again.add(file);
                tables.forget(file);
            } else if (missing) {
                await this.#supply(tables, missing, state);
            } else {
                if (absent.length > 0 && state.isWhole && answer.moves.every((move) => move.value === null)) {
                    const list = absent.join(", ");
                    throw new MillError("missing", `found no ${list} at ${this.#url}, expected the file`, absent[0]);
                }
                const notes = absent.map((file) => `${file} is missing`);
                return { ...answer, isWhole: state.isWhole, cost, notes };
            }
        }
        throw new MillError("damaged", `the tables at ${this.#url} are not what their heads say`);
    }

    /** Gets ranges from the caches or from the host. */
    async #supply(tables, missing, state) {
        const { cost, left, again } = state;
        // What matters most comes first. The rest may then turn out to be there, or not to be needed.
        const part = PARTS.find((name) => missing.some((range) => range.part === name));
        const ranges = [];
        const take = async (range) => {
            const kept = await this.#kept(range);
            if (kept) {
                cost.cached += kept.bytes.length;
                tables.put(range.file, range.start, kept.length, kept.bytes);
            } else ranges.push(range);
        };
        await Promise.all(missing.filter((range) => range.part === part).map(take));
        if (ranges.length === 0) return;
        let requests = plan(ranges, left);
        if (!fits(requests, left)) {
            state.isWhole = false;
            if (part === "extra") return tables.leave_out_extras();
            if (part === "position") return tables.leave_out_position();
            // Without room for the value of the position, at least some moves.
            const reserved = choose(ranges, { requests: left.requests - RESERVE.requests, bytes: left.bytes - RESERVE.bytes });
            const chosen = reserved.requests.length > 0 ? reserved : choose(ranges, left);
            tables.leave_out_moves(Uint16Array.from(chosen.leftOut));
            requests = chosen.requests;
        }
        left.requests -= requests.length;
        left.bytes -= size(requests);
        const queue = [...requests];
        const work = async () => {
            for (let request = queue.shift(); request; request = queue.shift()) {
                await this.#fetchInto(tables, request, cost, again.has(request.file));
            }
        };
        await Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, work));
    }

    async #fetchInto(tables, request, cost, isAgain) {
        const { file, start, parts } = request;
        const found = await this.#fetch(request, cost, isAgain);
        if (!found) {
            this.#lengths.set(file, null);
            tables.put_absent(file);
            return;
        }
        const { bytes, length } = found;
        this.#lengths.set(file, length);
        for (const part of parts) {
            const piece = bytes.slice(part.start - start, part.end - start);
            tables.put(file, part.start, length, piece);
            this.#keep(part, { bytes: piece, length });
        }
    }

    /** Fetches a range; null if there is no such file. Failures are repeated a few times. */
    async #fetch(request, cost, isAgain) {
        const { file, start, end } = request;
        let cause = "";
        for (let attempt = 0; attempt < this.#attempts; attempt++) {
            if (attempt > 0) await sleep(50 * 3 ** attempt * (1 + Math.random()));
            cost.requests += 1;
            const timer = new AbortController();
            const clock = setTimeout(() => timer.abort(), this.#timeout);
            try {
                const response = await fetch(new URL(encodeURIComponent(file), this.#url), {
                    headers: { Range: `bytes=${start}-${end - 1}` },
                    signal: AbortSignal.any([timer.signal, this.#abort.signal]),
                    cache: isAgain || attempt > 0 ? "reload" : "default",
                });
                if (response.status === 404 || response.status === 410) {
                    await response.body?.cancel();
                    return null;
                }
                if (response.status === 200) {
                    // The whole file, of any length: not what was asked for.
                    await response.body?.cancel();
                    const message = `${this.#url} sends whole files, expected a host that answers range requests`;
                    throw new MillError("no-ranges", message, file);
                }
                if (response.status !== 206) {
                    await response.body?.cancel();
                    // The file ends before the range: it is not the file that its header says it is.
                    if (response.status === 416) throw new MillError("damaged", `${file} is too short`, file);
                    cause = `the server answers ${response.status}`;
                    continue;
                }
                const bytes = new Uint8Array(await response.arrayBuffer());
                cost.bytes += bytes.length;
                const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
                // Without the header, as from a host that does not let pages read it, the bytes alone count.
                const length = range ? Number(range[3]) : Number.MAX_SAFE_INTEGER;
                const isEnd = bytes.length === Math.min(end, length) - start;
                if (!isEnd || (range && Number(range[1]) !== start)) {
                    cause = `found ${bytes.length} bytes, expected ${end - start}`;
                    continue;
                }
                return { bytes, length };
            } catch (error) {
                if (error instanceof MillError) throw error;
                if (this.#abort.signal.aborted) throw new MillError("network", "the explorer is closed");
                cause = timer.signal.aborted ? "the server does not answer in time" : String(error.message ?? error);
            } finally {
                clearTimeout(clock);
            }
        }
        throw new MillError("network", `${file} cannot be read after ${this.#attempts} attempts: ${cause}`, file);
    }

    #key({ file, start, end }) {
        return `${file}:${start}-${end}`;
    }

    #address(range) {
        const url = new URL(encodeURIComponent(range.file), this.#url);
        url.searchParams.set("millstone-range", `${range.start}-${range.end}`);
        return url.href;
    }

    /** The cache, and the addresses in it: to ask it for one that it does not hold takes milliseconds. */
    #cache() {
        this.#opening ??= (async () => {
            if (!this.#cacheName || typeof caches === "undefined") return null;
            // Cache Storage may be forbidden, as in private windows; or full.
            const cache = await caches.open(this.#cacheName).catch(() => null);
            const requests = (await cache?.keys().catch(() => [])) ?? [];
            return cache && { cache, addresses: new Set(requests.map(({ url }) => url)) };
        })();
        return this.#opening;
    }

    async #kept(range) {
        const inMemory = this.#memory.get(this.#key(range));
        if (inMemory) return inMemory;
        const opened = await this.#cache();
        const address = this.#address(range);
        if (!opened?.addresses.has(address)) return null;
        const response = await opened.cache.match(address).catch(() => null);
        if (!response) return null;
        const entry = {
            bytes: new Uint8Array(await response.arrayBuffer()),
            length: Number(response.headers.get("x-length")),
        };
        if (entry.bytes.length !== range.end - range.start) return null;
        this.#memory.set(this.#key(range), entry);
        return entry;
    }

    /** Keeps a range. No answer waits for Cache Storage. */
    #keep(range, entry) {
        if (entry.bytes.length !== range.end - range.start) return;
        this.#memory.set(this.#key(range), entry);
        const put = async () => {
            const opened = await this.#cache();
            if (!opened) return;
            const address = this.#address(range);
            opened.addresses.add(address);
            await opened.cache.put(address, new Response(entry.bytes, { headers: { "x-length": String(entry.length) } }));
        };
        put().catch(() => {});
    }

    async #forget(file) {
        this.#memory.deleteFile(file);
        const opened = await this.#cache();
        const begin = new URL(encodeURIComponent(file), this.#url).href;
        for (const address of opened?.addresses ?? []) {
            if (!address.startsWith(`${begin}?`)) continue;
            opened.addresses.delete(address);
            await opened.cache.delete(address).catch(() => {});
        }
    }
}
