// Loads the WebAssembly module: the build with vector instructions where they exist, else the one without.

import init, { provide_tables } from "./dist/millstone.js";
import { MillError, call } from "./error.js";
import { addressOf, addressOfFile } from "./files.js";
import { TABLES } from "./tables.js";

// A module of one function that uses a vector: () -> i32, i8x16.all_true of zeros.
const VECTORS = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 99,
    11,
]);

/** True in Node. */
export const isNode = typeof process === "object" && Boolean(process.versions?.node);

/** The addresses of the two builds. */
const BUILDS = {
    plain: new URL("./dist/millstone.wasm", import.meta.url),
    vectors: new URL("./dist/millstone-simd.wasm", import.meta.url),
};

/** The name of the file at an address. */
export const fileName = (url) => url.pathname.split("/").at(-1);

/** Returns the bytes at an address; in Node it may be a file. */
export async function bytesAt(url) {
    if (isNode && url.protocol === "file:") {
        const { readFile } = await import("node:fs/promises");
        return readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) {
        const text = `the server answers ${response.status} for ${url}, expected 200 and the file`;
        throw new MillError("refused", text, fileName(url));
    }
    return new Uint8Array(await response.arrayBuffer());
}

let loading;

/** Loads the module once for this thread. `wasmUrl` is the folder of the two builds. */
export function loadWasm({ wasmUrl } = {}) {
    loading ??= (async () => {
        const hasVectors = WebAssembly.validate(VECTORS);
        let url = hasVectors ? BUILDS.vectors : BUILDS.plain;
        const name = hasVectors ? "millstone-simd.wasm" : "millstone.wasm";
        if (wasmUrl) url = new URL(name, addressOf(wasmUrl, url, "folder"));
        const isFile = isNode && url.protocol === "file:";
        await init({ module_or_path: isFile ? await bytesAt(url) : url });
    })();
    // A failed attempt may be repeated, for example once the network is back.
    loading.catch(() => (loading = undefined));
    return loading;
}

/** Returns the address of a file of the built-in tablebase. */
export const addressOfTables = (name, options) => addressOfFile(name, TABLES[name], options);

const providing = new Map();

/** Fetches a file of the built-in tablebase once for this thread. */
export function loadTables(name, options) {
    if (!providing.has(name)) {
        const loads = (async () => {
            const bytes = await bytesAt(addressOfTables(name, options));
            call(() => provide_tables(name, bytes));
        })();
        loads.catch(() => providing.delete(name));
        providing.set(name, loads);
    }
    return providing.get(name);
}
