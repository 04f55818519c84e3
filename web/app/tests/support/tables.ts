import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** The native program, which builds the tablebase and knows the true values. */
const millstone = process.env["MILLSTONE"] ?? `${root}/target/release/millstone`;

/** A folder with all positions of at most nine men; built once. */
export function tables(): string {
  const folder = `${root}/target/web-tables`;
  if (!existsSync(millstone)) throw new Error(`${millstone} is missing; run cargo build --release`);
  run("tb", "build", "--path", folder, "--scope", "9-men", "--distances", "moving", "--quiet");
  return folder;
}

const run = (...args: string[]): string =>
  execFileSync(millstone, args, { encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 26 });

export interface Truth {
  fen: string;
  value: "W" | "D" | "L";
  plies: number | null;
  moves: { move: string; value: "W" | "D" | "L"; plies: number | null; drawing_replies?: number | null }[];
}

/** The values that the native program reads from the same files; null stands for the built-in ones. */
export function truth(folder: string | null, fens: readonly string[]): Truth[] {
  const source = folder === null ? ["--embedded"] : ["--path", folder];
  const text = execFileSync(millstone, ["tb", "probe", ...source, "--json", "--stdin"], {
    encoding: "utf8",
    input: `${fens.join("\n")}\n`,
    timeout: 120_000,
    maxBuffer: 1 << 26,
  });
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Truth);
}

/** A generator of numbers below `n`, always the same ones. Its high bits are good enough to scatter men. */
export function below(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** A random position of the moving phase. */
export function position(white: number, black: number, random: (n: number) => number): string {
  const board = Array<string>(24).fill("*");
  for (const [man, n] of [
    ["O", white],
    ["@", black],
  ] as const)
    for (let placed = 0; placed < n;) {
      const at = random(24);
      if (board[at] !== "*") continue;
      board[at] = man;
      placed++;
    }
  const rings = [0, 8, 16].map((i) => board.slice(i, i + 8).join("")).join("/");
  const side = random(2) ? "w" : "b";
  return `${rings} ${side} m s ${white} 0 ${black} 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes`;
}

/** Positions of the moving phase of three to five men a side, always the same ones. */
export function positions(count: number): string[] {
  const random = below(20_261_122);
  return Array.from({ length: count }, () => {
    const white = 3 + random(3);
    return position(white, 3 + random(Math.min(3, 7 - white)), random);
  });
}
