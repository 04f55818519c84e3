// What is kept of files on a host in Cache Storage.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../store.js";

/** A cache as browsers have it, as far as a store uses it. */
class FakeCache {
    kept = new Map();

    async put(address, response) {
        this.kept.set(address, response);
    }

    async match(address) {
        return this.kept.get(address)?.clone();
    }

    async delete(address) {
        return this.kept.delete(address);
    }
}

const range = (start) => ({
    file: "http://host/a.wdl",
    start,
    end: start + 100,
    bytes: new Uint8Array(100).fill(start % 251),
    length: 5000,
});

test("Cache Storage grows no further than it may: what was not used for the longest time makes room", async () => {
    const cache = new FakeCache();
    const store = new Store(cache, [{ url: "http://host/a.wdl?millstone-range=0-100" }], 300);
    await cache.put("http://host/a.wdl?millstone-range=0-100", new Response(new Uint8Array(100)));
    for (const start of [100, 200]) await store.put(range(start));
    assert.ok(store.find({ file: "http://host/a.wdl", start: 0, end: 50 }));
    await store.put(range(300));
    assert.equal(store.find({ file: "http://host/a.wdl", start: 100, end: 200 }), null);
    assert.deepEqual(
        [...cache.kept.keys()].map((address) => address.split("=")[1]),
        ["0-100", "200-300", "300-400"],
    );
    const { bytes, length } = await store.read(store.find(range(300)));
    assert.deepEqual([bytes[0], length], [49, 5000]);
});

test("what Cache Storage cannot give back counts as gone", async () => {
    const cache = new FakeCache();
    const store = new Store(cache, []);
    await store.put(range(0));
    const piece = store.find(range(0));
    const broken = new Response(new ReadableStream({ start: (stream) => stream.error(new Error("lost")) }));
    cache.match = async () => broken;
    assert.equal(await store.read(piece), null);
    assert.equal(store.find(range(0)), null);
    cache.match = async () => Promise.reject(new Error("forbidden"));
    assert.equal(await store.read(piece), null);
    cache.match = async () => undefined;
    assert.equal(await store.read(piece), null);
});

test("what was lost and is stored again counts once", async () => {
    const cache = new FakeCache();
    const store = new Store(cache, [], 300);
    await store.put(range(0));
    cache.kept.clear();
    for (const start of [0, 100, 200]) await store.put(range(start));
    assert.deepEqual([...cache.kept.keys()].length, 3);
    await store.put(range(300));
    assert.equal(store.find(range(0)), null);
    assert.ok(store.find(range(100)) && cache.kept.size === 3);
});
