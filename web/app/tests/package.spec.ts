import { fileURLToPath } from "node:url";
import { expect, test } from "./support/page";
import { RangeServer } from "./support/range-server";

const folder = fileURLToPath(new URL("../../engine", import.meta.url));

// The first is how chess GUIs start an engine; they send commands at once.
for (const [name, options] of [
  ["classic-worker.js", {}],
  ["worker.js", { type: "module" }],
] as const) {
  test(`${name} of the package speaks UCI`, async ({ page }) => {
    const server = await RangeServer.start({ folder });
    await page.goto(`${server.url}README.md`);
    const answers = await page.evaluate(
      ([url, options]) =>
        new Promise<string[]>((resolve, reject) => {
          const worker = new Worker(url, options);
          const lines: string[] = [];
          worker.onerror = () => reject(new Error(`${url} failed after ${lines.join(" / ")}`));
          worker.onmessage = ({ data }: MessageEvent<string>) => {
            lines.push(data);
            if (data.startsWith("bestmove")) resolve(lines);
          };
          for (const line of ["uci", "isready", "position startpos moves d6", "go depth 4"])
            worker.postMessage(line);
        }),
      [`${server.url}${name}`, options] as const,
    );
    expect(answers.filter((line) => line === "uciok" || line === "readyok")).toEqual(["uciok", "readyok"]);
    expect(answers.at(-1)).toMatch(/^bestmove [a-g][1-7]/);
    await server.stop();
  });
}
