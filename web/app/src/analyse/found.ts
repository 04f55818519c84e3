import { readRecords, type Game, type ReadMessages, type RecordedGame } from "millstone-mill";
import { rules } from "../engine/library";

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

/** The games of a text, and why others cannot be read. */
export interface Found {
  games: FoundGame[];
  faults: ReadMessages["faults"];
}

/** Leaves out the games of which only the beginning can be read. */
function sound(games: FoundGame[], faults: ReadMessages["faults"]): Found {
  const broken = new Set(faults.map(({ game }) => game));
  return { games: games.filter(({ number }) => !broken.has(number)), faults };
}

/** Reads the games of a short text at once. Throws `MillError`. */
export function findHere(text: string, usual: string): Found {
  const { games, numbers, faults } = rules().readGames(text, usual);
  const list = games.map((game, n): FoundGame => ({
    number: numbers[n]!,
    players: [game.tag("White"), game.tag("Black")],
    result: game.result(),
    plies: game.plies(),
    open: () => game.clone(),
  }));
  return sound(list, faults);
}

/** Reads the games of a long text in a worker. */
export async function findInWorker(text: string, usual: string): Promise<Found> {
  const { games, faults } = await readRecords(text, usual);
  const list = games.map(({ text, ...about }): FoundGame => ({ ...about, open: () => rules().readGame(text) }));
  return sound(list, faults);
}

export const isLong = (text: string): boolean => text.length > MOST_HERE;
