/** A score of the engine for the side to move. */
export type Score = { kind: "cp"; value: number } | { kind: "mate"; value: number };

/** What one `info` line of a search says. */
export interface Info {
  depth: number;
  line: number;
  score: Score;
  nps: number;
  pv: string[];
}

/** Reads an `info` line. Returns null for other lines, for bounds, and for lines without a move. */
export function parseInfo(text: string): Info | null {
  const words = text.split(" ");
  if (
    words[0] !== "info" ||
    words[1] === "string" ||
    words.includes("lowerbound") ||
    words.includes("upperbound")
  )
    return null;
  const after = (word: string): number => Number(words[words.indexOf(word) + 1]);
  const pv = words.indexOf("pv");
  const score = words.indexOf("score");
  if (pv < 0 || score < 0) return null;
  const value = Number(words[score + 2]);
  if (!Number.isFinite(value)) return null;
  return {
    depth: after("depth"),
    line: words.includes("multipv") ? after("multipv") : 1,
    score: words[score + 1] === "mate" ? { kind: "mate", value } : { kind: "cp", value },
    nps: words.includes("nps") ? after("nps") : 0,
    pv: words.slice(pv + 1),
  };
}

/** The score seen from White. */
export const forWhite = (score: Score, side: "w" | "b"): Score =>
  side === "w" ? score : { kind: score.kind, value: -score.value };

/** The height of a score on a bar, from 0 (Black wins) to 1 (White wins). */
export function height(score: Score): number {
  if (score.kind === "mate") return score.value > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-score.value / 120));
}
