import type { Game, Library } from "millstone-mill";
import { rules } from "../engine/library";
import { restore, type Stored } from "./desk";
import type { Mode } from "./route";

/** The most characters that are read of a link. A game has a few thousand. */
export const MOST = 100_000;

/** True if a link has room for the whole record, not only for the moves. */
export const holdsRecord = ({ text }: Stored): boolean => text !== undefined && text.length < MOST - 100;

/** The fields of a link, as short as they can be: what is usual is left out. */
export function linkFields(stored: Stored): URLSearchParams {
  const fields = new URLSearchParams();
  if (stored.text && holdsRecord(stored)) {
    fields.set("game", stored.text);
  } else {
    fields.set("rules", stored.rules);
    if (stored.start !== usualStart(stored.rules)) fields.set("fen", stored.start);
    if (stored.moves.length > 0) fields.set("moves", stored.moves.join("_"));
  }
  if (stored.ply !== stored.moves.length) fields.set("ply", String(stored.ply));
  return fields;
}

/** The start of a new game of these rules, which a link need not hold. */
export function usualStart(named: string): string {
  const game = rules().newGame(named);
  const fen = game.fen();
  game.free();
  return fen;
}

/** The address that shows a game. */
export function link(mode: Mode, stored: Stored): string {
  return `${location.href.replace(/#.*$/s, "")}#${mode}?${linkFields(stored)}`;
}

/** True if a link holds a game. */
export const holdsGame = (fields: URLSearchParams): boolean =>
  ["rules", "fen", "moves", "game"].some((key) => fields.has(key));

/** Reads the game of a link. Throws an error that names what is wrong. */
export function openLink(library: Library, fields: URLSearchParams): Game {
  const moves = (fields.get("moves") ?? "").split("_").filter(Boolean);
  const ply = fields.get("ply");
  const text = fields.get("game");
  return restore(library, {
    rules: fields.get("rules") ?? "nine",
    start: fields.get("fen") ?? "",
    moves,
    ply: ply && /^\d+$/.test(ply) ? Number(ply) : Number.MAX_SAFE_INTEGER,
    ...(text ? { text } : {}),
  });
}
