// A static host for tests and measurements: files in memory, or of a folder. As a program that another one
// forks, it gets the folder as its argument, sends its address, and ends with the other one.

import { createServer } from "node:http";
import { existsSync, openSync, readFileSync, readSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The files of the built-in tables, by name. */
export function filesOfContainer() {
    const bytes = readFileSync(new URL("../dist/tablebase.bin", import.meta.url));
    const count = bytes.readUInt32LE(8);
    const files = new Map();
    let start = 12 + 4 * count;
    for (let n = 0; n < count; n++) {
        const file = bytes.subarray(start, start + bytes.readUInt32LE(12 + 4 * n));
        start += file.length;
        files.set(`${[...file.subarray(12, 16)].join("_")}.${file[10] === 0 ? "wdl" : "dist"}`, file);
    }
    return files;
}

/** The files of a folder, by name, with the interface of a buffer. */
export function filesOfFolder(folder) {
    const isTable = (name) => /^\d+_\d+_\d+_\d+\.(wdl|dist)$/.test(name);
    return new Map(
        readdirSync(folder)
            .filter(isTable)
            .map((name) => {
                const path = `${folder}/${name}`;
                const length = statSync(path).size;
                const handle = openSync(path);
                const subarray = (start, end) => {
                    const bytes = Buffer.alloc(Math.min(end, length) - start);
                    readSync(handle, bytes, 0, bytes.length, start);
                    return bytes;
                };
                return [name, { length, subarray }];
            }),
    );
}

/** The files of a folder, or the built-in ones if none is named. */
export function filesOf(folder) {
    if (!folder) return filesOfContainer();
    if (!existsSync(folder)) throw new Error(`found no folder ${folder}`);
    return filesOfFolder(folder);
}

/** Serves the files. `spoil` may change an answer: it gets the number of the request, and the answer. */
export async function serve(files, spoil = () => {}) {
    let number = 0;
    const server = createServer((request, response) => {
        // Any folder is the same one, so that a browser can be sent to an address that it does not know.
        const file = files.get(decodeURIComponent(request.url.split("/").at(-1)));
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
        const headers = {
            "access-control-allow-origin": "*",
            "access-control-expose-headers": "content-range, content-length",
        };
        const answer = { status: 206, body: Buffer.alloc(0), headers, delay: 0 };
        if (!file) answer.status = 404;
        else if (!range)
            Object.assign(answer, { status: 200, body: Buffer.from(file.subarray(0, file.length)) });
        else {
            const [start, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, file.length)];
            answer.body = Buffer.from(file.subarray(start, end));
            answer.headers["content-range"] = `bytes ${start}-${end - 1}/${file.length}`;
        }
        spoil(number++, answer, request);
        const send = () => {
            answer.headers["content-length"] ??= answer.body.length;
            response.writeHead(answer.status, answer.headers);
            response.end(answer.body);
        };
        // A late answer that nobody waits for any more does not keep the process alive.
        if (answer.delay > 0) setTimeout(send, answer.delay).unref();
        else send();
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    const url = `http://127.0.0.1:${server.address().port}/`;
    return { url, close: () => (server.closeAllConnections(), server.close()) };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
    const { url } = await serve(filesOf(process.argv[2]));
    process.send(url);
    process.on("disconnect", () => process.exit());
}
