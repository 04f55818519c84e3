// The engine in Node: the conversation of a terminal, a worker, and the node count of `bench`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { Engine, load, MillError, openTablebase } from "../index.js";

const BIN = new URL("../bin/millstone-mill.js", import.meta.url).pathname;

/** Runs the program with this input and returns its lines. */
function run(input) {
    return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [BIN]);
        let text = "";
        child.stdout.on("data", (piece) => (text += piece));
        child.on("error", reject);
        child.on("close", () => resolve(text.trimEnd().split("\n")));
        child.stdin.end(input);
    });
}

test("bench counts the nodes of the program", async () => {
    const lines = await run("bench\n");
    const [nodes] = lines.at(-1).split(" ");
    console.log(`millstone-mill bench: ${lines.at(-1)}`);
    if (process.env.BENCH) assert.equal(nodes, process.env.BENCH);
    assert.match(nodes, /^\d{6}$/);
});

test("the program finishes what it was asked for at the end of its input", async () => {
    const lines = await run("uci\nposition startpos moves d6 f4\ngo depth 6\n");
    assert.equal(lines[0].slice(0, 17), "id name Millstone");
    assert.ok(lines.includes("uciok"));
    assert.match(lines.at(-1), /^bestmove [a-g][1-7]/);
});

/** Speaks with a worker: sends lines, and waits for one that matches. */
function talk() {
    const engine = new Engine();
    const lines = [];
    let wake = () => {};
    engine.onLine((line) => {
        lines.push(line);
        wake();
    });
    engine.onError((error) => {
        throw error;
    });
    const until = async (pattern) => {
        for (;;) {
            const found = lines.find((line) => pattern.test(line));
            if (found) return lines.splice(0, lines.indexOf(found) + 1);
            await new Promise((resolve) => (wake = resolve));
        }
    };
    return { engine, until };
}

test("a worker answers isready while it thinks, and stops", async () => {
    const { engine, until } = talk();
    engine.send("uci");
    await until(/^uciok$/);
    engine.send("go infinite");
    await until(/^info depth 12 /);
    engine.send("isready");
    await until(/^readyok$/);
    engine.send("stop");
    const [best] = (await until(/^bestmove /)).slice(-1);
    assert.match(best, /^bestmove [a-g][1-7]/);
    engine.send("go movetime 300");
    const lines = await until(/^bestmove /);
    const times = lines.map((line) => / time (\d+) /.exec(line)?.[1]).filter(Boolean);
    assert.ok(Number(times.at(-1)) < 10_000, lines.at(-2));
    engine.send("perft 3");
    await until(/^Nodes searched: 12144$/);
    engine.terminate();
});

test("a game is played, written, read and turned", async () => {
    const mill = await load();
    assert.equal(mill.ruleSets().length, 13);
    const game = mill.newGame("nine");
    for (const move of ["d6", "f4", "d7", "b2", "d5", "xb2"]) game.play(move);
    assert.deepEqual(game.state().mills, [["d5", "d6", "d7"]]);
    assert.deepEqual(game.state().lastMove, ["d5", "xb2"]);
    assert.throws(() => game.play("d6"), (error) => error instanceof MillError && error.code === "illegal-move");
    const copy = mill.readGame(game.write("pgn"));
    assert.deepEqual(copy.moves(), game.moves());
    assert.equal(mill.readGame(game.write("tokens")).fen(), game.fen());
    for (let n = 0; n < 16; n++) assert.equal(game.symmetry(n).legal().length, game.legal().length);
    game.goto(2);
    game.play("a1");
    assert.equal(game.plies(), 3);
    assert.match(game.svg(), /^<svg [^]*<\/svg>\s*$/);
    assert.throws(() => mill.readGame("1. d6 d6"), (error) => error.code === "bad-record");
    assert.throws(() => mill.newGame("nine", "rubbish"), (error) => error.code === "bad-position");
});

test("the built-in tables know a won ending", async () => {
    const mill = await load();
    const tables = await openTablebase(null);
    const fen = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
    const { value, plies, moves, sector } = await tables.probe(mill.newGame("nine", fen));
    assert.deepEqual([value, plies, sector.name], ["win", 1, "3_3_0_0"]);
    assert.equal(moves.filter((move) => move.value === "win" && move.plies === 1).length >= 1, true);
    const russian = mill.newGame("russian");
    await assert.rejects(tables.probe(russian), (error) => error.code === "unsupported-rules");
});
