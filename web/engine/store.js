// Keeps ranges of files: in memory, and in Cache Storage.

/** The bytes that Cache Storage keeps of all hosts. A tab does not count what others write meanwhile. */
const MOST_STORED = 256 << 20;

/** Ranges by file, and all of them in the order of their last use. */
class Ranges {
    #files = new Map();
    #order = new Set();
    /** The bytes of all ranges. */
    bytes = 0;

    get count() {
        return this.#order.size;
    }

    /** The range that was not used for the longest time. */
    get oldest() {
        return this.#order.values().next().value;
    }

    add(range) {
        if (!this.#files.has(range.file)) this.#files.set(range.file, new Set());
        this.#files.get(range.file).add(range);
        this.#order.add(range);
        this.bytes += range.end - range.start;
    }

    delete(range) {
        if (!this.#order.delete(range)) return;
        this.#files.get(range.file).delete(range);
        this.bytes -= range.end - range.start;
    }

    of(file) {
        return [...(this.#files.get(file) ?? [])];
    }

    /** Returns a range that holds another one. */
    find({ file, start, end }) {
        for (const range of this.#files.get(file) ?? []) {
            if (start < range.start || range.end < end) continue;
            this.#order.delete(range);
            this.#order.add(range);
            return range;
        }
        return null;
    }
}

/** An LRU of ranges with their bytes. */
export class Memory {
    #most;
    #evicted = 0;
    #ranges = new Ranges();

    constructor(most) {
        this.#most = most;
    }

    /** Ranges and bytes that are kept, and the ranges that had to make room. */
    counts() {
        return { ranges: this.#ranges.count, bytes: this.#ranges.bytes, evicted: this.#evicted };
    }

    find(wanted) {
        return this.#ranges.find(wanted);
    }

    add(range) {
        this.#ranges.add(range);
        while (this.#ranges.bytes > this.#most) {
            this.#ranges.delete(this.#ranges.oldest);
            this.#evicted += 1;
        }
    }

    deleteFile(file) {
        for (const range of this.#ranges.of(file)) this.#ranges.delete(range);
    }
}

/** Cache Storage, and what is in it: to ask it for something that it does not hold takes milliseconds. */
export class Store {
    #cache;
    #most;
    #ranges = new Ranges();

    /** `requests` are the keys of the cache, the oldest first. */
    constructor(cache, requests, most = MOST_STORED) {
        this.#cache = cache;
        this.#most = most;
        for (const { url } of requests) {
            const [, file, start, end] = /^(.*)\?millstone-range=(\d+)-(\d+)$/.exec(url) ?? [];
            if (file) this.#ranges.add({ file, start: Number(start), end: Number(end), address: url });
        }
    }

    /** The stores by name, or promises of them. */
    static #opened = new Map();

    /** Returns a store, or the promise of one as long as it is opening. */
    static open(name) {
        // Cache Storage may be forbidden, as in private windows.
        if (!name || typeof caches === "undefined") return null;
        const open = async () => {
            const cache = await caches.open(name);
            return new Store(cache, await cache.keys());
        };
        const keep = (store) => (Store.#opened.set(name, store), store);
        if (!Store.#opened.has(name)) keep(open().then(keep, () => keep(null)));
        return Store.#opened.get(name);
    }

    /** Returns what holds a range, for `read`; null if nothing does. `file` is an address. */
    find(wanted) {
        return this.#ranges.find(wanted);
    }

    /** Returns the bytes of a range and the length of its file; null if they are gone or cannot be read. */
    async read(range) {
        const { address, start, end } = range;
        try {
            const response = await this.#cache.match(address);
            const bytes = new Uint8Array(await response.arrayBuffer());
            if (bytes.length === end - start) {
                return { bytes, length: Number(response.headers.get("x-length")) };
            }
        } catch {
            // As if it were too short.
        }
        this.#ranges.delete(range);
        return null;
    }

    /** Keeps a range. The cache may be full; the oldest ranges make room. */
    async put({ file, start, end, bytes, length }) {
        const address = `${file}?millstone-range=${start}-${end}`;
        const response = new Response(bytes, { headers: { "x-length": String(length) } });
        await this.#cache.put(address, response).then(
            () => {
                // One that was lost and not asked for since.
                const before = this.#ranges.of(file).find((range) => range.address === address);
                if (before) this.#ranges.delete(before);
                this.#ranges.add({ file, start, end, address });
            },
            () => {},
        );
        while (this.#ranges.bytes > this.#most) await this.#delete(this.#ranges.oldest);
    }

    async deleteFile(file) {
        for (const range of this.#ranges.of(file)) await this.#delete(range);
    }

    async #delete(range) {
        this.#ranges.delete(range);
        await this.#cache.delete(range.address).catch(() => {});
    }
}
