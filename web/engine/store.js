// Keeps ranges of files: in memory, and in Cache Storage.

/** Ranges by file. */
class Ranges {
    #files = new Map();

    add(range) {
        if (!this.#files.has(range.file)) this.#files.set(range.file, new Set());
        this.#files.get(range.file).add(range);
    }

    delete(range) {
        this.#files.get(range.file)?.delete(range);
    }

    of(file) {
        return [...(this.#files.get(file) ?? [])];
    }

    /** Returns a range that holds another one. */
    find({ file, start, end }) {
        for (const range of this.#files.get(file) ?? [])
            if (range.start <= start && end <= range.end) return range;
        return null;
    }
}

/** An LRU of ranges with their bytes. */
export class Memory {
    #most;
    #used = 0;
    #evicted = 0;
    #ranges = new Ranges();
    /** All of them, the one that was used last at the end. */
    #order = new Set();

    constructor(most) {
        this.#most = most;
    }

    /** Ranges and bytes that are kept, and the ranges that had to make room. */
    counts() {
        return { ranges: this.#order.size, bytes: this.#used, evicted: this.#evicted };
    }

    find(wanted) {
        const range = this.#ranges.find(wanted);
        if (range && this.#order.delete(range)) this.#order.add(range);
        return range;
    }

    add(range) {
        this.#ranges.add(range);
        this.#order.add(range);
        this.#used += range.bytes.length;
        for (const oldest of this.#order) {
            if (this.#used <= this.#most) break;
            this.#delete(oldest);
            this.#evicted += 1;
        }
    }

    #delete(range) {
        this.#ranges.delete(range);
        this.#order.delete(range);
        this.#used -= range.bytes.length;
    }

    deleteFile(file) {
        for (const range of this.#ranges.of(file)) this.#delete(range);
    }
}

/** Cache Storage, and what is in it: to ask it for something that it does not hold takes milliseconds. */
export class Store {
    #cache;
    #ranges = new Ranges();

    constructor(cache, requests) {
        this.#cache = cache;
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

    /** Returns the bytes of a range and the length of its file; null if it is gone. */
    async read({ address, start, end }) {
        const response = await this.#cache.match(address).catch(() => null);
        if (!response) return null;
        const bytes = new Uint8Array(await response.arrayBuffer());
        return bytes.length === end - start
            ? { bytes, length: Number(response.headers.get("x-length")) }
            : null;
    }

    /** Keeps a range. The cache may be full. */
    async put({ file, start, end, bytes, length }) {
        const address = `${file}?millstone-range=${start}-${end}`;
        const response = new Response(bytes, { headers: { "x-length": String(length) } });
        await this.#cache.put(address, response).then(
            () => this.#ranges.add({ file, start, end, address }),
            () => {},
        );
    }

    async deleteFile(file) {
        for (const range of this.#ranges.of(file)) {
            this.#ranges.delete(range);
            await this.#cache.delete(range.address).catch(() => {});
        }
    }
}
