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

/** The games of a text, why others cannot be read, and what was read in another way than it says. */
export interface Found extends Pick<ReadMessages, "faults" | "notes"> {
  games: FoundGame[];
}

/** Leaves out the games of which only the beginning can be read. */
function sound(games: FoundGame[], { faults, notes }: ReadMessages): Found {
  const broken = new Set(faults.map(({ game }) => game));
  return { games: games.filter(({ number }) => !broken.has(number)), faults, notes };
}

/** Reads the games of a short text at once. Throws `MillError`. */
export function findHere(text: string, usual: string): Found {
  const { games, numbers, ...messages } = rules().readGames(text, usual);
  const list = games.map((game, n): FoundGame => ({
    number: numbers[n]!,
    players: [game.tag("White"), game.tag("Black")],
    result: game.result(),
    plies: game.plies(),
    open: () => game.clone(),
  }));
  return sound(list, messages);
}

/** Reads the games of a long text in a worker. */
export async function findInWorker(text: string, usual: string): Promise<Found> {
  const { games, ...messages } = await readRecords(text, usual);
  const list = games.map(({ text, ...about }): FoundGame => ({ ...about, open: () => rules().readGame(text) }));
  return sound(list, messages);
}

export const isLong = (text: string): boolean => text.length > MOST_HERE;
