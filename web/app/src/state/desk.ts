import { signal } from "@preact/signals";
import type { Game, GameState, Library, RecordedMove, Side } from "millstone-mill";
import { isObject } from "./storage";

/** The game as the page shows it. */
export interface View {
  rules: string;
  fen: string;
  ply: number;
  moves: readonly RecordedMove[];
  /** Comments before the first move. */
  comments: readonly string[];
  legal: readonly string[];
  /** The lines of the board: three point numbers each, the middle one second. */
  lines: readonly (readonly [number, number, number])[];
  /** White and Black as the record names them, and its result. */
  players: readonly [string | null, string | null];
  result: "1-0" | "0-1" | "1/2-1/2" | "*";
  state: GameState;
}

/** A game as it is kept in the browser and in links. */
export interface Stored {
  /** The name of the rules, with options where they have no name of their own: `nine,NMoveRule=60`. */
  rules: string;
  start: string;
  moves: string[];
  ply: number;
  /** The whole record of a game that holds more than moves. */
  text?: string;
}

export const isStored = (value: unknown): value is Stored =>
  isObject(value) &&
  typeof value["rules"] === "string" &&
  typeof value["start"] === "string" &&
  typeof value["ply"] === "number" &&
  ["string", "undefined"].includes(typeof value["text"]) &&
  Array.isArray(value["moves"]) &&
  value["moves"].every((move) => typeof move === "string");

/** The fewest men, on the board and in hand, with which a side is not lost. */
const least = (game: Game): number =>
  Number(/ PiecesAtLeastCount value (\d+)/.exec(game.ruleOptions().join("\n"))?.[1] ?? 3);

/** The state of the position. A position text that says "over" names no winner; the men may tell. */
export function stateOf(game: Game): GameState {
  const state = game.state();
  const { result, board, hands } = state;
  if (result?.winner !== null || result.reason !== "loseFewerThanThree") return state;
  const men = (["w", "b"] as const).map((side, i) => board.split(side).length - 1 + hands[i]!);
  const few = least(game);
  const lacks = men.map((n) => n < few);
  if (lacks[0] === lacks[1]) return state;
  const winner: Side = lacks[0] ? "b" : "w";
  return { ...state, result: { ...result, winner } };
}

/** The rules of a game as `newGame` reads them. */
export function rulesOf(game: Game): string {
  if (game.rules !== "custom") return game.rules;
  const options = game.ruleOptions().map((line) => line.replace(/^setoption name (\S+) value /, "$1="));
  return options.join(",").replace(/^UCI_Variant=/, "");
}

/** The name of a player; records write "?" for an unknown one. */
export function nameOf(tag: string | null): string | null {
  const name = tag?.trim();
  return name && name !== "?" ? name : null;
}

const look = (game: Game): View => ({
  rules: game.rules,
  fen: game.fen(),
  ply: game.ply(),
  moves: game.moves(),
  comments: game.comments(),
  legal: game.legal(),
  lines: game.lines(),
  players: [nameOf(game.tag("White")), nameOf(game.tag("Black"))],
  result: game.result(),
  state: stateOf(game),
});

/** A game on the page. The view is renewed with every change, and everything shown follows from it. */
export class Desk {
  readonly view;
  /** Grows with every change of the record, but not when another position of it is shown. */
  changes = 0;

  constructor(public game: Game) {
    this.view = signal(look(game));
  }

  private renew(): void {
    this.view.value = look(this.game);
  }

  replace(game: Game): void {
    this.changes++;
    this.game = game;
    this.renew();
  }

  /** Plays one move; what follows the shown position in the record is cut off. */
  play(move: string): void {
    this.changes++;
    this.game.play(move);
    this.renew();
  }

  /** Shows the position after so many moves of the record. */
  goto(ply: number): void {
    this.game.goto(Math.max(0, Math.min(ply, this.game.plies())));
    this.renew();
  }

  /** Does something at another position of the record and comes back. */
  at<T>(ply: number, job: (game: Game) => T): T {
    const now = this.game.ply();
    this.game.goto(ply);
    try {
      return job(this.game);
    } finally {
      this.game.goto(now);
    }
  }

  store(): Stored {
    const { moves, ply } = this.view.value;
    const start = this.at(0, (game) => game.fen());
    const stored: Stored = { rules: rulesOf(this.game), start, moves: moves.map((move) => move.text), ply };
    return this.game.hasMore() ? { ...stored, text: this.game.write("pgn") } : stored;
  }
}

/** Sets up a stored game. Throws an error that names what is wrong with it. */
export function restore(library: Library, stored: Stored): Game {
  const game = stored.text
    ? library.readGame(stored.text)
    : library.newGame(stored.rules, stored.start || undefined);
  if (!stored.text) game.playAll(stored.moves);
  game.goto(Math.max(0, Math.min(stored.ply, game.plies())));
  return game;
}
