// Games, and the readers of records.

import { new_game, read_games, rule_sets, version } from "./dist/millstone.js";
import { MillError, call } from "./error.js";

class Game {
    #inner;
    #board;

    constructor(inner) {
        this.#inner = inner;
    }

    /** The game in the module, also for explorers. */
    get inner() {
        if (!this.#inner)
            throw new MillError("bad-argument", "the game was freed, and cannot be used any more");
        return this.#inner;
    }

    get rules() {
        return this.inner.rules();
    }

    #geometry() {
        this.#board ??= JSON.parse(this.inner.board());
        return this.#board;
    }

    points() {
        return this.#geometry().points;
    }

    lines() {
        return this.#geometry().lines;
    }

    fen() {
        return this.inner.fen();
    }

    ply() {
        return this.inner.ply();
    }

    plies() {
        return this.inner.plies();
    }

    goto(ply) {
        checkNumber(ply, this.plies());
        call(() => this.inner.goto(ply));
    }

    legal() {
        const text = this.inner.legal();
        return text ? text.split(" ") : [];
    }

    play(move) {
        call(() => this.inner.play(String(move)));
    }

    playAll(moves) {
        call(() => this.inner.play_all([...moves].join(" ")));
    }

    undo() {
        const ply = this.ply();
        if (ply > 0) this.inner.goto(ply - 1);
        return ply > 0;
    }

    redo() {
        const ply = this.ply();
        const isPossible = ply < this.plies();
        if (isPossible) this.inner.goto(ply + 1);
        return isPossible;
    }

    state() {
        return JSON.parse(this.inner.state());
    }

    moves() {
        return JSON.parse(this.inner.moves());
    }

    comments() {
        return JSON.parse(this.inner.comments());
    }

    positionCommand() {
        return this.inner.position_command();
    }

    ruleOptions() {
        return this.inner.rule_options().split("\n");
    }

    tag(name) {
        return this.inner.tag(String(name)) ?? null;
    }

    setTag(name, value) {
        call(() => this.inner.set_tag(String(name), String(value)));
    }

    setResult(result) {
        call(() => this.inner.set_result(String(result)));
    }

    result() {
        return this.inner.result();
    }

    hasMore() {
        return this.inner.has_more();
    }

    write(form) {
        return call(() => this.inner.write(String(form)));
    }

    svg() {
        return this.inner.svg();
    }

    symmetry(number) {
        checkNumber(number, 15);
        return new Game(call(() => this.inner.symmetry(number)));
    }

    clone() {
        return new Game(this.inner.copy());
    }

    free() {
        this.inner.free();
        this.#inner = null;
        this.#board = null;
    }
}

/** Throws unless a number is whole and at most the largest. The module would take a part of any number. */
function checkNumber(found, largest) {
    if (Number.isInteger(found) && found >= 0 && found <= largest) return;
    const shown = typeof found === "string" ? JSON.stringify(found) : String(found);
    throw new MillError("bad-argument", `found ${shown}, expected a whole number from 0 to ${largest}`);
}

/** The text of an argument that may be left out. */
export const optional = (text) => (text == null ? undefined : String(text));

export class Library {
    #sets;

    version() {
        return version();
    }

    ruleSets() {
        this.#sets ??= JSON.parse(rule_sets());
        return this.#sets;
    }

    newGame(rules, position) {
        return new Game(call(() => new_game(String(rules), optional(position))));
    }

    readGames(text, rules) {
        const reading = call(() => read_games(String(text), optional(rules)));
        try {
            const games = Array.from(
                { length: reading.len() },
                (_, n) => new Game(call(() => reading.game(n))),
            );
            return {
                games,
                numbers: games.map((_, n) => reading.number(n)),
                ...JSON.parse(reading.messages()),
            };
        } finally {
            reading.free();
        }
    }

    readGame(text, rules) {
        const { games, errors, faults } = this.readGames(text, rules);
        const [first, ...others] = games;
        others.forEach((game) => game.free());
        // Errors of later games say nothing about the first.
        if (first && faults[0]?.game !== 1) return first;
        first?.free();
        throw new MillError("bad-record", errors[0] ?? "found no game, expected a record or a position text");
    }
}

/**
 * The records of a text as plain values, for another thread: the text of each game, and what tells it apart.
 */
export function recordsOf(library, text, rules) {
    const { games, numbers, ...messages } = library.readGames(text, rules);
    const records = games.map((game, n) => ({
        number: numbers[n],
        rules: game.rules,
        players: [game.tag("White"), game.tag("Black")],
        event: game.tag("Event"),
        date: game.tag("Date"),
        result: game.result(),
        plies: game.plies(),
        text: game.write("pgn"),
    }));
    games.forEach((game) => game.free());
    return { games: records, ...messages };
}
