// The networks and tablebase files of the games besides the standard one, which the engine fetches.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { Engine, load, openTablebase } from "../index.js";

const DIST = new URL("../dist/", import.meta.url);

/** Serves the files of the package during a test. `answer` may send something else: it gets the response, name and bytes. */
async function host(t, answer = (response, _, bytes) => response.end(bytes)) {
    const asked = [];
    const server = createServer((request, response) => {
        const name = request.url.split("/").at(-1);
        asked.push(name);
        if (!existsSync(new URL(name, DIST))) return response.writeHead(404).end();
        answer(response, name, readFileSync(new URL(name, DIST)));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    const variantsUrl = `http://127.0.0.1:${server.address().port}/files/`;
    t.after(() => (server.closeAllConnections(), server.close()));
    return { asked, variantsUrl };
}

/** An engine with these files; `ask` sends lines and returns those up to the next move. */
function talk(t, variantsUrl) {
    const engine = new Engine({ certificateUrl: "", tablebaseUrl: "", variantsUrl });
    t.after(() => engine.terminate());
    const lines = [];
    let wake = () => {};
    engine.onLine((line) => (lines.push(line), wake()));
    engine.onError((error) => {
        throw error;
    });
    const ask = async (...sent) => {
        sent.forEach((line) => engine.send(line));
        for (;;) {
            const end = lines.findIndex((line) => line.startsWith("bestmove "));
            if (end >= 0) return lines.splice(0, end + 1);
            await new Promise((resolve) => (wake = resolve));
        }
    };
    return { engine, ask };
}

const WAITS = "info string waits for the network of these rules";
const missing = (lines) => lines.find((line) => line.includes("is missing") || line.includes("damaged"));

test("every game fetches its own files once, and knows its first turns", async (t) => {
    const mill = await load();
    const variants = mill
        .ruleSets()
        .map(({ id }) => id)
        .filter((id) => id !== "nine");
    const { asked, variantsUrl } = await host(t);
    const { ask } = talk(t, variantsUrl);
    for (const id of variants) {
        const choose = [`setoption name UCI_Variant value ${id}`, "position startpos"];
        const lines = await ask(...choose, "go nodes 2000");
        // The network of Nerenchi has come with that of Dooz, which is packed as differences to it.
        assert.equal(lines.includes(WAITS), id !== "nerenchi", id);
        assert.equal(missing(lines), undefined, id);
        const table = `tablebase-${id}.bin`;
        const hasTable = existsSync(new URL(table, DIST));
        // The file of first turns comes while the engine thinks, or later.
        for (let tries = 0; hasTable; tries++) {
            const again = await ask("position startpos", "go nodes 2000");
            assert.ok(!again.includes(WAITS), id);
            if (again.some((line) => / tbhits [1-9]/.test(line))) break;
            assert.ok(tries < 1000, id);
        }
        assert.deepEqual(asked.includes(table), hasTable, id);
    }
    const networks = variants.map((id) => `network-${id}.bin`);
    assert.deepEqual(asked.filter((name) => name.startsWith("network-")).sort(), networks.sort());
    assert.equal(new Set(asked).size, asked.length, asked.join());
});

test("composed rules take the files of the game that they are, or that is nearest", async (t) => {
    const { asked, variantsUrl } = await host(t);
    const { ask } = talk(t, variantsUrl);
    for (const [option, names] of [
        ["PiecesCount value 10", ["network-ten-men.bin", "tablebase-ten-men.bin"]],
        ["UCI_Variant value dooz", ["network-dooz.bin", "network-nerenchi.bin", "tablebase-dooz.bin"]],
        ["UCI_Variant value preset6", ["network-cheng-san-qi.bin", "tablebase-no-flying.bin"]],
    ]) {
        const lines = await ask(`setoption name ${option}`, "position startpos", "go nodes 1000");
        assert.equal(missing(lines), undefined, option);
        for (let tries = 0; asked.length < names.length; tries++) {
            assert.ok(tries < 1000, `${option}: ${asked.join()}`);
            await ask("go nodes 1000");
        }
        assert.deepEqual(asked.splice(0).sort(), names, option);
    }
});

test("without a sound network the engine says so once, answers, and tries again in the next game", async (t) => {
    const damaged = (bytes) => {
        const copy = Buffer.from(bytes);
        copy[copy.length >> 1] ^= 16;
        return copy;
    };
    const answers = [
        [(response) => response.writeHead(404).end(), /: .*answers 404 for .*network-twelve\.bin/],
        [(response, bytes) => response.end(damaged(bytes)), /: found a wrong checksum: the file is damaged/],
        [(response) => response.end("<!doctype html>"), /: found a file of another kind/],
        [
            (response) => response.end(readFileSync(new URL("network-lasker.bin", DIST))),
            /: found the network of another game/,
        ],
        [(response, bytes) => response.end(bytes), null],
    ];
    let game = 0;
    const { variantsUrl } = await host(t, (response, name, bytes) =>
        name === "network-twelve.bin" ? answers[game][0](response, bytes) : response.end(bytes),
    );
    const { engine, ask } = talk(t, variantsUrl);
    engine.send("setoption name UCI_Variant value twelve");
    for (; game < answers.length; game++) {
        const note = missing(await ask("ucinewgame", "position startpos", "go nodes 1000"));
        const [, expected] = answers[game];
        if (expected)
            assert.match(
                note,
                new RegExp(`^info string the network of these rules is missing${expected.source}`),
            );
        else assert.equal(note, undefined);
    }

    const { ask: askWithout } = talk(t, "");
    const lines = await askWithout("setoption name UCI_Variant value twelve", "go nodes 1000");
    assert.equal(
        missing(lines),
        "info string the network of these rules is missing: variantsUrl leaves it out",
    );
    const later = await askWithout("position startpos moves d6 f4", "go nodes 1000");
    assert.ok(!later.includes(WAITS) && !missing(later), later.join("\n"));
});

test("the built-in tablebase knows the first turns of other games, and an abort ends the wait for a file", async (t) => {
    const mill = await load();
    const { variantsUrl } = await host(t, (response, name, bytes) => {
        if (name !== "tablebase-lasker.bin") response.end(bytes);
    });
    const tables = await openTablebase(null, { variantsUrl });
    const { value, moves } = await tables.probe(mill.newGame("twelve"));
    const wins = moves.filter((move) => move.value === "win");
    assert.deepEqual([value, moves.length, wins.length], ["win", 24, 12]);
    const abort = new AbortController();
    const late = tables.probe(mill.newGame("lasker"), { signal: abort.signal });
    setTimeout(() => abort.abort(), 10);
    await assert.rejects(late, { name: "AbortError" });
    const foreign = await openTablebase(null, { variantsUrl: "http://[" });
    await assert.rejects(foreign.probe(mill.newGame("dooz")), {
        code: "bad-argument",
        message: "found 'http://[', expected the address of a folder",
    });
    tables.close();
});

test("an answer is about the position that was asked about, and files count without each other", async (t) => {
    const mill = await load();
    const { variantsUrl } = await host(t, (response, name, bytes) => {
        if (name === "tablebase-lasker.bin") response.writeHead(503).end();
        else setTimeout(() => response.end(bytes), 50);
    });
    const tables = await openTablebase(null, { variantsUrl });
    const game = mill.newGame("mul-mulan");
    const answer = tables.probe(game);
    game.play("a7");
    game.free();
    assert.equal((await answer).moves.length, 24);
    // The endgames of the standard game are those of Lasker Morris.
    const fen = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
    assert.equal((await tables.probe(mill.newGame("lasker", fen))).value, "win");
    const start = tables.probe(mill.newGame("lasker"));
    await assert.rejects(start, { code: "refused", file: "tablebase-lasker.bin" });
    tables.close();
});

test("a search behind another one has the tablebase of its own game, and no file is taken for another", async (t) => {
    const { asked, variantsUrl } = await host(t, (response, name, bytes) =>
        response.end(
            name === "tablebase-dooz.bin" ? readFileSync(new URL("tablebase-twelve.bin", DIST)) : bytes,
        ),
    );
    const { engine, ask } = talk(t, variantsUrl);
    await ask(
        "go movetime 50",
        "setoption name UCI_Variant value twelve",
        "position startpos",
        "go movetime 50",
    );
    await ask();
    assert.deepEqual(asked, ["network-twelve.bin", "tablebase-twelve.bin"]);
    const foreign = new Promise((resolve) =>
        engine.onLine((line) => line.endsWith("does not fit: made for twelve, expected dooz") && resolve()),
    );
    await ask("setoption name UCI_Variant value dooz", "go nodes 1000");
    await foreign;
});

test("the package names all its files", () => {
    const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
    const listed = read("waited.js") + read("tables.js");
    const names = readdirSync(DIST).filter((name) => name.endsWith(".bin"));
    assert.equal(names.length, 26);
    for (const name of names) assert.ok(listed.includes(`"./dist/${name}"`), name);
});
