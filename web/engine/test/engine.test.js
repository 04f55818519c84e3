// The engine in Node: the conversation of a terminal, a worker, and the node count of `bench`.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Engine, load, MillError, openTablebase, readRecords } from "../index.js";

const BIN = new URL("../bin/millstone-mill.js", import.meta.url).pathname;

/** Runs the program with this input and returns its lines. */
function run(input, program = [BIN]) {
    return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, program);
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

test("without vector instructions the other module counts the same nodes", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "millstone-plain-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const isKept = (name) => !name.endsWith("millstone-simd.wasm");
    cpSync(fileURLToPath(new URL("..", import.meta.url)), folder, { recursive: true, filter: isKept });
    const withoutVectors = "data:text/javascript,WebAssembly.validate = () => false";
    const lines = await run("bench\n", ["--import", withoutVectors, join(folder, "bin/millstone-mill.js")]);
    const [nodes] = lines.at(-1).split(" ");
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
function talk(options) {
    const engine = new Engine(options);
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
    assert.throws(
        () => game.play("d6"),
        (error) => error instanceof MillError && error.code === "illegal-move",
    );
    const copy = mill.readGame(game.write("pgn"));
    assert.deepEqual(copy.moves(), game.moves());
    assert.equal(mill.readGame(game.write("tokens")).fen(), game.fen());
    for (let n = 0; n < 16; n++) assert.equal(game.symmetry(n).legal().length, game.legal().length);
    game.goto(2);
    game.play("a1");
    assert.equal(game.plies(), 3);
    for (const ply of [4, 2 ** 32, -1, 1.5, NaN, "2", undefined]) {
        const found = ply === "2" ? '"2"' : ply;
        assert.throws(() => game.goto(ply), {
            code: "bad-argument",
            message: `found ${found}, expected a whole number from 0 to 3`,
        });
    }
    assert.equal(game.ply(), 3);
    assert.match(game.svg(), /^<svg [^]*<\/svg>\s*$/);
    for (const broken of ["1. d6 d6", "1. d6 d6 *\n\n1. a1 f4 *", ""]) {
        assert.throws(
            () => mill.readGame(broken),
            (error) => error.code === "bad-record",
            broken,
        );
    }
    assert.equal(mill.readGame("1. a1 f4 *\n\n1. d6 d6 *").write("tokens").trim(), "a1 f4");
    assert.throws(
        () => mill.newGame("nine", "rubbish"),
        (error) => error.code === "bad-position",
    );
});

test("the middle point of each line is its second", async () => {
    const mill = await load();
    const game = mill.newGame("twelve");
    const names = game.points().map(({ name }) => name);
    const place = (point) => [names[point].charCodeAt(0), Number(names[point][1])];
    assert.equal(game.lines().length, 20);
    for (const line of game.lines()) {
        const [from, middle, to] = line.map(place);
        const centre = [0, 1].map((axis) => (from[axis] + to[axis]) / 2);
        assert.deepEqual(middle, centre, line.map((point) => names[point]).join(" "));
    }
});

test("a game has the comments before its first move, and those after each turn", async () => {
    const mill = await load();
    const game = mill.readGame("{Played in} {a park} 1. d6 {good} f4 *");
    assert.deepEqual(game.comments(), ["Played in", "a park"]);
    assert.deepEqual(
        game.moves().map(({ comments }) => comments),
        [["good"], []],
    );
    game.goto(1);
    game.play("a1");
    assert.deepEqual(game.comments(), ["Played in", "a park"]);
    assert.deepEqual(mill.newGame("nine").comments(), []);
});

test("a turn that gets its take keeps its comments and marks", async () => {
    const mill = await load();
    const game = mill.readGame("1. d6 {centre} a1 2. f6 g1 3. b6! {a mill} *");
    game.play("xa1");
    assert.deepEqual(
        game.moves().map(({ comments }) => comments),
        [["centre"], [], [], [], ["a mill"], ["a mill"]],
    );
    assert.match(game.write("pgn"), /b6xa1! \{a mill\}/);
    // They are about this take: with another one they go.
    game.goto(5);
    game.play("xg1");
    assert.deepEqual(game.moves().at(-1).comments, []);
});

test("the ordinary start is no set-up position", async () => {
    const mill = await load();
    for (const { id } of mill.ruleSets()) {
        const game = mill.newGame(id, mill.newGame(id).fen());
        assert.equal(game.positionCommand(), "position startpos", id);
        assert.doesNotMatch(game.write("pgn"), /SetUp|FEN/, id);
    }
    const other = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    assert.equal(mill.newGame("nine", other).positionCommand(), `position fen ${other}`);
});

test("tags have the names that records have, but not those that follow from the game", async () => {
    const game = (await load()).newGame("nine");
    game.setTag("Time-Control", "3+2");
    assert.equal(game.tag("Time-Control"), "3+2");
    assert.match(game.write("pgn"), /\[Time-Control "3\+2"\]/);
    const message = "Result follows from the game, expected another tag; see setResult";
    assert.throws(() => game.setTag("Result", "1-0"), { code: "bad-argument", message });
    for (const name of ["", "A B", "fen", "PlyCount"])
        assert.throws(() => game.setTag(name, "x"), { code: "bad-argument" }, name);
});

test("how a game had ended is forgotten when it goes on", async () => {
    const game = (await load()).readGame('[White "Ada"]\n[Termination "time"]\n\n1. d6 f4 1-0');
    game.goto(1);
    assert.equal(game.tag("Termination"), "time");
    game.play("b4");
    assert.deepEqual([game.tag("White"), game.tag("Termination"), game.result()], ["Ada", null, "*"]);
});

test("an argument that is refused is named", async () => {
    const mill = await load();
    const game = mill.newGame("nine");
    const used = "O**O**O*/@**@**@*/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 7 0 1 ids:nodes";
    const noSymmetry =
        "found a start with used mills or with captures due, expected one without them: only that can be turned";
    for (const [job, message] of [
        [() => game.setResult("2-0"), "found '2-0', expected 1-0, 0-1, 1/2-1/2 or *"],
        [() => game.write("xml"), "found 'xml', expected pgn or tokens"],
        [() => mill.newGame("nine", used).symmetry(3), noSymmetry],
    ])
        assert.throws(job, { code: "bad-argument", message });
});

test("damaged tables are not called missing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millstone-damaged-"));
    const file = join(folder, "tables.bin");
    writeFileSync(file, "rubbish");
    const { engine, until } = talk({ certificateUrl: "", tablebaseUrl: pathToFileURL(file).href });
    engine.send("go nodes 1000");
    const [note] = (await until(/built-in tablebase/)).slice(-1);
    assert.match(note, /^info string the built-in tablebase is damaged: /);
    engine.terminate();
    rmSync(folder, { recursive: true });
});

test("an option that names a folder says that files cannot be opened", async () => {
    const { engine, until } = talk({ certificateUrl: "", tablebaseUrl: "" });
    engine.send("setoption name TablebasePath value /tmp");
    engine.send("go nodes 1000");
    await until(/cannot read folder \/tmp: this build for WebAssembly cannot open files/);
    engine.terminate();
});

test("a game that was freed says so", async () => {
    const mill = await load();
    const game = mill.newGame("nine");
    // What is kept of the board goes too.
    game.points();
    game.free();
    for (const name of ["free", "fen", "play", "clone", "points"]) {
        assert.throws(() => game[name]("d6"), { name: "MillError", code: "bad-argument" }, name);
    }
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
    const signal = AbortSignal.abort();
    await assert.rejects(tables.probe(mill.newGame("nine", fen), { signal }), { name: "AbortError" });
});

test("a worker reads the games of a text, with the number of each and the fault of a broken one", async () => {
    const mill = await load();
    const game = (white, moves) => `[White "${white}"]\n[Black "B"]\n[Result "1-0"]\n\n${moves} 1-0\n\n`;
    const text = game("Ada", "1. d6 {good} f4 2. d2 b4") + game("Bob", "1. d6 d6") + game("Cleo", "1. a1 f4");
    const { games, faults } = await readRecords(text);
    const sound = games.filter(({ number }) => !faults.some((fault) => fault.game === number));
    assert.deepEqual(
        sound.map(({ number, players, result, plies }) => [number, ...players, result, plies]),
        [
            [1, "Ada", "B", "1-0", 4],
            [3, "Cleo", "B", "1-0", 2],
        ],
    );
    assert.deepEqual(
        faults.map(({ game, line }) => [game, line]),
        [[2, 11]],
    );
    assert.match(faults[0].reason, /illegal move 'd6', expected one of/);
    const first = mill.readGame(games[0].text);
    assert.deepEqual(first.moves()[0].comments, ["good"]);
    assert.equal(first.result(), "1-0");
    assert.deepEqual(mill.readGames(text).numbers, [1, 2, 3]);
    await assert.rejects(
        readRecords("d6", "no-rules"),
        (error) => error instanceof MillError && error.code === "bad-rules",
    );
});

test("a game tells if its record holds more than moves, and plays many moves at once", async () => {
    const mill = await load();
    const game = mill.newGame("nine");
    game.playAll(["d6", "f4", "d2"]);
    assert.deepEqual([game.ply(), game.hasMore()], [3, false]);
    assert.throws(
        () => game.playAll(["b4", "b4"]),
        (error) => error.code === "illegal-move",
    );
    assert.equal(game.plies(), 3, "all or none");
    game.goto(1);
    game.playAll(["b4"]);
    assert.equal(game.write("tokens").trim(), "d6 b4");
    const changes = [(copy) => copy.setTag("White", "Ada"), (copy) => copy.setResult("1-0")];
    for (const change of changes) {
        const copy = game.clone();
        change(copy);
        assert.ok(copy.hasMore());
        copy.free();
    }
    assert.ok(mill.readGame("1. d6 {good} f4 *").hasMore());
    assert.ok(mill.readGame("1. d6! f4 *").hasMore());
    assert.ok(mill.readGame("1. d6 (1. a1) f4 *").hasMore());
    assert.ok(!mill.readGame("1. d6 f4 *").hasMore());
});

test("the last turn may be a take alone", async () => {
    const mill = await load();
    // El Filja: the mills of the placing phase take when it ends.
    const game = mill.newGame("el-filja");
    game.playAll("c3 g7 c4 d1 d7 d6 f2 e3 d5 a4 e5 c5 b2 g4 d3 a1 d2 f4 a7 e4 g1 b4 b6 f6".split(" "));
    assert.deepEqual(
        [game.state().phase, game.state().takes, game.state().lastMove],
        ["take", [1, 1], ["f6"]],
    );
    game.play("xe4");
    assert.deepEqual(game.state().lastMove, ["xe4"]);
    game.play("xd5");
    assert.deepEqual(game.state().lastMove, ["xd5"]);
});

test("a symmetry is the whole game at the same ply, without comments", async () => {
    const mill = await load();
    const game = mill.readGame('[White "Ada"]\n\n1. d6 {good} f4 2. d2 b4 1-0');
    game.goto(2);
    const boards = new Set();
    for (let n = 0; n < 16; n++) {
        const image = game.symmetry(n);
        assert.deepEqual(
            [image.ply(), image.plies(), image.tag("White"), image.result()],
            [2, 4, "Ada", "1-0"],
        );
        assert.ok(image.moves().every(({ comments }) => comments.length === 0));
        boards.add(image.state().board);
    }
    assert.ok(boards.size >= 4, `${boards.size} boards`);
    assert.equal(game.symmetry(0).state().board, game.state().board);
    for (const number of [16, -1, 1.5, NaN, Infinity, "3", null, undefined]) {
        const isNamed = (error) =>
            error instanceof MillError && error.message.includes(`found ${number === "3" ? '"3"' : number},`);
        assert.throws(() => game.symmetry(number), isNamed, String(number));
    }
});

test("built-in tables that a host refuses are named, with the status", async () => {
    const server = createServer((_, response) => response.writeHead(404).end());
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const tablebaseUrl = `http://127.0.0.1:${server.address().port}/here/tables.bin`;
    const refused = (error) =>
        error.code === "refused" && error.file === "tables.bin" && /answers 404 /.test(error.message);
    // Each thread loads the tables once, so this needs one of its own.
    const script = `
        const { openTablebase } = await import(${JSON.stringify(new URL("../index.js", import.meta.url).href)});
        await openTablebase(null, { tablebaseUrl: ${JSON.stringify(tablebaseUrl)} }).then(
            () => process.exit(1),
            ({ code, file, message }) => console.log(JSON.stringify({ code, file, message })),
        );`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    server.close();
    assert.ok(refused(JSON.parse(stdout)), stdout);
});

test("addresses that are none are named", async () => {
    const refused = { code: "bad-argument", message: "found 'http://[', expected the address of a file" };
    await assert.rejects(openTablebase(null, { tablebaseUrl: "http://[" }), refused);
    const empty = {
        code: "bad-argument",
        message: "found '' as tablebaseUrl, expected the address of a file",
    };
    await assert.rejects(openTablebase(null, { tablebaseUrl: "" }), empty);
    // Each thread loads the module once, so this needs a new one.
    const script = `
        const { load } = await import(${JSON.stringify(new URL("../index.js", import.meta.url).href)});
        await load({ wasmUrl: "http://[" }).catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    assert.equal(stdout, "bad-argument found 'http://[', expected the address of a folder\n");
    const { engine, until } = talk({ certificateUrl: "http://[", tablebaseUrl: "http://[" });
    engine.send("go nodes 1000");
    const lines = await until(/^bestmove/);
    assert.ok(noteOf(lines).endsWith(refused.message), noteOf(lines));
    engine.terminate();
});

test("damaged tables take no memory, however often they are fetched", async () => {
    // Each thread keeps sound tables for good, so this needs one of its own.
    const script = `
        const index = ${JSON.stringify(new URL("../index.js", import.meta.url).href)};
        const { openTablebase } = await import(index);
        const { default: init } = await import(new URL("./dist/millstone.js", index));
        const bytes = (await import("node:fs")).readFileSync(new URL("./dist/tablebase.bin", index));
        bytes[0] ^= 1;
        globalThis.fetch = async () => new Response(bytes);
        const sizes = [];
        for (let n = 0; n < 4; n++) {
            await openTablebase(null, { tablebaseUrl: "http://host/tables.bin" }).then(
                () => process.exit(1),
                ({ code }) => code === "damaged" || process.exit(2),
            );
            sizes.push((await init()).memory.buffer.byteLength);
        }
        console.log(JSON.stringify(sizes));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    const sizes = JSON.parse(stdout);
    assert.equal(sizes.at(-1), sizes[0], stdout);
});

/** The note on the certificate among the lines of a search. */
const noteOf = (lines) => lines.find((line) => /^info string (not )?certified/.test(line)) ?? "no note";

/** Serves the certificate. `answer` gets the number of the request, the response and the bytes. */
async function certificateHost(answer) {
    const bytes = readFileSync(new URL("../dist/certificate.bin", import.meta.url));
    let requests = 0;
    const server = createServer((_, response) => answer(requests++, response, bytes));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    const certificateUrl = `http://127.0.0.1:${server.address().port}/certificate.bin`;
    return {
        certificateUrl,
        requests: () => requests,
        close: () => (server.closeAllConnections(), server.close()),
    };
}

test("a game from the empty board is certified from the first turn on, in the program and in a worker", async () => {
    const lines = await run("position startpos\ngo nodes 1000\n");
    assert.equal(noteOf(lines), "info string certified");
    assert.match(lines.at(-1), /^bestmove [a-g][1-7]/);
    const { engine, until } = talk();
    const moves = [];
    for (let turn = 0; turn < 6; turn++) {
        engine.send(["position startpos", ...(moves.length > 0 ? ["moves", ...moves] : [])].join(" "));
        engine.send("go nodes 1000");
        const lines = await until(/^bestmove /);
        // Made once.
        assert.equal(noteOf(lines), turn === 0 ? "info string certified" : "no note");
        moves.push(lines.at(-1).split(" ")[1]);
    }
    engine.terminate();
});

test("the certificate is fetched once, and only for play that follows it", async () => {
    const host = await certificateHost((_, response, bytes) => response.end(bytes));
    const { engine, until } = talk({ certificateUrl: host.certificateUrl });
    const ask = async (...lines) => {
        lines.forEach((line) => engine.send(line));
        return noteOf(await until(/^bestmove /));
    };
    for (const free of [
        ["setoption name SkillLevel value 5"],
        ["setoption name SkillLevel value 30", "setoption name NeverLose value false"],
        ["setoption name NeverLose value true", "setoption name UCI_Variant value morabaraba"],
        ["setoption name UCI_Variant value nine", "setoption name MultiPV value 2"],
    ]) {
        assert.equal(await ask(...free, "position startpos", "go nodes 1000"), "no note", free.join());
    }
    assert.equal(
        await ask("setoption name MultiPV value 1", "position startpos", "go infinite", "stop"),
        "no note",
    );
    assert.equal(host.requests(), 0);
    assert.equal(await ask("position startpos", "go nodes 1000"), "info string certified");
    assert.equal(
        await ask("ucinewgame", "position startpos moves d6", "go nodes 1000"),
        "info string certified",
    );
    assert.equal(host.requests(), 1);
    engine.terminate();
    host.close();
});

test("without a sound certificate the engine says so, answers, and tries again", async () => {
    const damaged = (bytes) => {
        const copy = Buffer.from(bytes);
        copy[4_000_000] ^= 16;
        return copy;
    };
    const answers = [
        [
            (response) => response.writeHead(404).end(),
            /^info string not certified: .*answers 404 for .*certificate\.bin/,
        ],
        [
            (response, bytes) => response.end(damaged(bytes)),
            /^info string not certified: .*found damage in the checksum/,
        ],
        [
            (response, bytes) => response.end(bytes.subarray(0, 3_000_000)),
            /^info string not certified: .*found damage in the checksum/,
        ],
        [
            (response) => response.end("<!doctype html>"),
            /^info string not certified: .*found a file of another kind/,
        ],
        [(response, bytes) => response.end(bytes), /^info string certified$/],
    ];
    const host = await certificateHost((n, response, bytes) => answers[n][0](response, bytes));
    const { engine, until } = talk({ certificateUrl: host.certificateUrl });
    for (const [, note] of answers) {
        engine.send("ucinewgame");
        engine.send("position startpos");
        engine.send("go nodes 1000");
        const lines = await until(/^bestmove [a-g][1-7]/);
        assert.match(noteOf(lines), note);
    }
    engine.terminate();
    host.close();
    const { engine: without, until: heard } = talk({ certificateUrl: "" });
    without.send("go nodes 1000");
    assert.match(
        noteOf(await heard(/^bestmove /)),
        /^info string not certified: .*certificateUrl leaves it out$/,
    );
    without.terminate();
});

test("a late certificate keeps nobody waiting for long, and a game that still belongs to it goes on certified", async () => {
    let send = () => {};
    const host = await certificateHost((_, response, bytes) => (send = () => response.end(bytes)));
    const { engine, until } = talk({ certificateUrl: host.certificateUrl });
    engine.send("position startpos");
    engine.send("go movetime 50 wtime 400");
    engine.send("isready");
    const waited = (await until(/^readyok$/)).includes("info string waits for the certificate");
    const lines = await until(/^bestmove /);
    assert.match(noteOf(lines), /^info string not certified: .*it has not arrived yet$/);
    assert.ok(waited || lines.includes("info string waits for the certificate"), lines.join());
    // Every first turn belongs to it that does not lose, and none does.
    const first = lines.at(-1).split(" ")[1];
    const reply = first === "d6" ? "f4" : "d6";
    engine.send(`position startpos moves ${first} ${reply}`);
    engine.send("go nodes 1000");
    engine.send("isready");
    await until(/^readyok$/);
    send();
    assert.equal(noteOf(await until(/^bestmove /)), "info string certified");
    engine.terminate();
    host.close();
});
