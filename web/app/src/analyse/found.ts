import { readRecords, type Game, type ReadMessages, type RecordedGame } from "millstone-mill";
import { rules } from "../engine/library";
import { parseRoute } from "../state/route";
import { holdsGame, openLink } from "../state/share";

/** A longer text is read in a worker, so that the page stays alive. */
const MOST_HERE = 20_000;

/** A game of a text, to be opened. */
export interface FoundGame {
  /** The number in the text, from 1. */
  number: number;
  players: RecordedGame["players"];
  result: RecordedGame["result"];
  plies: number;
  open: () => Game;
}

/** The games of a text, why others cannot be read, and what was read in another way than it says. */
export interface Found extends Pick<ReadMessages, "faults" | "notes"> {
  games: FoundGame[];
}

/** Leaves out the games of which only the beginning can be read. */
function sound(games: FoundGame[], { faults, notes }: ReadMessages): Found {
  const broken = new Set(faults.map(({ game }) => game));
  return { games: games.filter(({ number }) => !broken.has(number)), faults, notes };
}

/** The game of a link to this page, or null if the text is none. Throws an error that names what is wrong. */
function linked(text: string): Game | null {
  const hash = /^https?:\S*(#\S*)$/.exec(text.trim())?.[1];
  const { fields } = parseRoute(hash ?? "");
  return holdsGame(fields) ? openLink(rules(), fields) : null;
}

/**
 * A text that begins as the command of the protocol for a position, without the words that the reader of
 * records does not know.
 */
const plain = (text: string): string =>
  inOneLine(text).replace(/^\s*position\s+(startpos(\s+moves)?\b|(?=fen\b))/, "");

const MOVE = /^x?[a-g][1-7]([-x][a-g][1-7])*$/i;

/** Moves with commas between them, or with one on each line, as people write them: for the reader, one game. */
function inOneLine(text: string): string {
  const lines = text.trim().split(/\s*\n\s*/);
  const moves = text.split(/[\s,;]+/).filter(Boolean);
  const isOne = moves.length > 0 && (lines.length === 1 || lines.length === moves.length);
  return isOne && moves.every((move) => MOVE.test(move)) ? moves.join(" ") : text;
}

/** True if a text is to be read at once: it is short, or a link. */
export const isHere = (text: string): boolean => text.length <= MOST_HERE || /^https?:\S*$/.test(text.trim());

const describe = (game: Game, number: number): FoundGame => ({
  number,
  players: [game.tag("White"), game.tag("Black")],
  result: game.result(),
  plies: game.plies(),
  open: () => game.clone(),
});

const one = (game: Game): Found => ({ games: [describe(game, 1)], faults: [], notes: [] });

/** Reads the games of a text at once. Throws `MillError`. */
export function findHere(whole: string, usual: string): Found {
  const game = linked(whole);
  if (game) return one(game);
  const text = plain(whole);
  if (text !== whole && text.trim() === "") return one(rules().newGame(usual));
  const { games, numbers, ...messages } = rules().readGames(text, usual);
  return sound(
    games.map((game, n) => describe(game, numbers[n]!)),
    messages,
  );
}

/** Reads the games of a long text in a worker. */
export async function findInWorker(text: string, usual: string): Promise<Found> {
  const { games, ...messages } = await readRecords(text, usual);
  const list = games.map(({ text, ...about }): FoundGame => ({
    ...about,
    open: () => rules().readGame(text),
  }));
  return sound(list, messages);
}
