import { createServer, type Server } from "node:http";
import { open, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { AddressInfo } from "node:net";

/** What a server does to a request instead of answering it well. */
export type Trouble = "fail" | "forbid" | "truncate" | "late" | "hang" | "drop" | null;

interface Options {
  folder: string;
  /** Decides about each request; `n` counts them from 0. */
  trouble?: (n: number, path: string) => Trouble;
  /** Changes the bytes of an answer. `from` is their place in the file. */
  damage?: (path: string, from: number, bytes: Buffer) => void;
  /** Answers whole files and ignores the wish for a part, as some hosts do. */
  withoutRanges?: boolean;
  /** Does not expose `Content-Range` to pages of other hosts. */
  hidesLength?: boolean;
}

/** The types of files that a browser runs or shows; the rest are bytes. */
const TYPES = new Map([
  [".js", "text/javascript"],
  [".md", "text/plain"],
]);

/** A static host that answers range requests, with faults on demand. */
export class RangeServer {
  requests = 0;
  bytes = 0;
  troubles = 0;
  /** The answers so far, as `path from-to`. */
  readonly log: string[] = [];
  options: Options;
  private readonly server: Server;

  private constructor(options: Options) {
    this.options = options;
    this.server = createServer((request, response) => {
      this.answer(request.url ?? "/", request.method ?? "GET", request.headers.range, response).catch(() =>
        response.destroy(),
      );
    });
  }

  static async start(options: Options): Promise<RangeServer> {
    const made = new RangeServer(options);
    await new Promise<void>((done) => made.server.listen(0, "127.0.0.1", done));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async answer(
    url: string,
    method: string,
    range: string | undefined,
    response: import("node:http").ServerResponse,
  ): Promise<void> {
    const path = normalize(decodeURIComponent(new URL(url, "http://host").pathname)).replace(/^\/+/, "");
    const headers: Record<string, string> = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "range",
      "access-control-expose-headers": `${this.options.hidesLength ? "" : "content-range, "}content-length`,
      "accept-ranges": this.options.withoutRanges ? "none" : "bytes",
    };
    // Browsers ask for the icon of a page by themselves.
    if (method === "OPTIONS" || path === "favicon.ico") return void response.writeHead(204, headers).end();
    const trouble = this.options.trouble?.(this.requests, path) ?? null;
    this.requests++;
    if (trouble) this.troubles++;
    if (trouble === "hang") return;
    if (trouble === "drop") return void response.destroy();
    if (trouble === "forbid") return void response.writeHead(403, headers).end("no");
    if (trouble === "fail") return void response.writeHead(503, headers).end("busy");
    if (trouble === "late") await new Promise((done) => setTimeout(done, 3000));

    const file = join(this.options.folder, path);
    const size = await stat(file).then(
      (found) => (found.isFile() ? found.size : -1),
      () => -1,
    );
    if (size < 0) return void response.writeHead(404, headers).end("no such file");
    const wanted = /^bytes=(\d+)-(\d*)$/.exec(range ?? "");
    const part = wanted && !this.options.withoutRanges;
    const from = part ? Number(wanted[1]) : 0;
    const to = part && wanted[2] ? Math.min(Number(wanted[2]), size - 1) : size - 1;
    if (from > to)
      return void response.writeHead(416, { ...headers, "content-range": `bytes */${size}` }).end();
    const bytes = Buffer.alloc(to - from + 1);
    const handle = await open(file);
    await handle.read(bytes, 0, bytes.length, from);
    await handle.close();
    this.options.damage?.(path, from, bytes);
    this.bytes += bytes.length;
    this.log.push(`${path} ${from}-${to}`);
    response.writeHead(part ? 206 : 200, {
      ...headers,
      "content-type": TYPES.get(extname(path)) ?? "application/octet-stream",
      "content-length": String(bytes.length),
      ...(part ? { "content-range": `bytes ${from}-${to}/${size}` } : {}),
    });
    if (method === "HEAD") return void response.end();
    if (trouble === "truncate") {
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)));
      // The connection ends before the length that was promised.
      setTimeout(() => response.destroy(), 20);
      return;
    }
    response.end(bytes);
  }
}
