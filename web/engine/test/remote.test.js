// Tables on a host: every answer is that of the built-in tables, or a message; whatever the host does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, openTablebase } from "../index.js";
import { plan } from "../plan.js";
import { generator, measure } from "../tools/cold.js";
import { filesOfContainer, serve as serveFiles } from "../tools/host.js";

const files = filesOfContainer();
const serve = (spoil) => serveFiles(files, spoil);

const POSITIONS = [
    "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes",
    "**O****O/@@@***O*/*****@O* b m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes",
    "**O****@/**O@***O/*O*@@OO* w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
    "@*@*O***/**O*****/@***O*@* w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes",
];

const mill = await load();
const builtIn = await openTablebase(null);

test("gaps are bridged only as far as requests are scarce", () => {
    const ranges = [0, 20_000, 40_000].map((start) => ({ file: "f", start, end: start + 10 }));
    const count = (requests) => plan(ranges, { requests, bytes: Infinity }).length;
    assert.deepEqual([Infinity, 6, 5].map(count), [3, 3, 1]);
});

/** The answer without its cost, and what the remote answer may lack filled in. */
const comparable = ({ value, plies, moves }) => ({
    value,
    plies,
    moves: moves
        .map(({ move, value, plies }) => ({ move, value, plies }))
        .sort((a, b) => (a.move < b.move ? -1 : 1)),
});

test("a host has the values of the built-in tables, for few requests and bytes", async () => {
    const server = await serve();
    for (const fen of POSITIONS) {
        const tables = await openTablebase(server.url);
        const game = mill.newGame("nine", fen);
        const begin = performance.now();
        const found = await tables.probe(game);
        console.log(
            `${found.cost.requests} requests, ${found.cost.bytes} bytes, ${Math.round(performance.now() - begin)} ms`,
        );
        const expected = await builtIn.probe(game);
        assert.deepEqual(comparable(found), comparable(expected));
        for (const { move, drawingReplies } of found.moves) {
            const known = expected.moves.find((other) => other.move === move).drawingReplies;
            assert.ok(drawingReplies === null || drawingReplies === known, `${fen} ${move}`);
        }
        assert.ok(found.cost.requests <= 10 && found.cost.bytes <= 200_000, JSON.stringify(found.cost));
        const again = await tables.probe(game);
        // It may fetch more replies, but no value that the first has fetched.
        assert.ok(
            again.cost.cached > 0 && again.cost.bytes <= found.cost.bytes,
            JSON.stringify([found.cost, again.cost]),
        );
        assert.deepEqual(comparable(again), comparable(found));
        tables.close();
    }
    server.close();
});

test("the answer is about the position that was asked for, though the game goes on", async () => {
    const server = await serve();
    const tables = await openTablebase(server.url);
    const game = mill.newGame("nine", POSITIONS[0]);
    const expected = await builtIn.probe(game);
    const [first, second] = [tables.probe(game), tables.probe(game)];
    game.play(expected.moves[0].move);
    for (const found of [await first, await second])
        assert.deepEqual(comparable(found), comparable(expected));
    tables.close();
    server.close();
});

test("no cold position costs more than ten requests and 200 KB, and most have every value", async () => {
    const found = await measure(files, 120);
    assert.ok(found.length > 60, `${found.length} positions`);
    for (const { fen, requests, bytes } of found) {
        assert.ok(requests <= 10 && bytes <= 200_000, `${fen}: ${requests} requests, ${bytes} bytes`);
    }
    const withValues = found.filter(({ probe }) => probe.moves.every(({ value }) => value !== null));
    assert.ok(withValues.length > 0.8 * found.length, `${withValues.length} of ${found.length}`);
});

test("an answer waits for its requests three times at most", async () => {
    const server = await serve();
    const real = globalThis.fetch;
    let [open, waits] = [0, 0];
    globalThis.fetch = async (...request) => {
        if (open++ === 0) waits++;
        try {
            const response = await real(...request);
            const bytes = await response.arrayBuffer();
            return { status: response.status, headers: response.headers, arrayBuffer: async () => bytes };
        } finally {
            open--;
        }
    };
    try {
        for (const fen of POSITIONS) {
            const tables = await openTablebase(server.url);
            waits = 0;
            const { cost } = await tables.probe(mill.newGame("nine", fen));
            assert.ok(cost.requests >= 3 && waits <= 3, `${fen}: ${cost.requests} requests, ${waits} waits`);
            tables.close();
        }
    } finally {
        globalThis.fetch = real;
        server.close();
    }
});

test("what is too dear is left out, and fetched when asked for", async () => {
    const server = await serve();
    let [partial, unknown] = [0, 0];
    for (const fen of POSITIONS) {
        const game = mill.newGame("nine", fen);
        const expected = await builtIn.probe(game);
        const tables = await openTablebase(server.url, { requests: 5, bytes: 30_000 });
        const cold = await tables.probe(game);
        assert.ok(cold.cost.requests <= 5 && cold.cost.bytes <= 30_000, JSON.stringify(cold.cost));
        partial += !cold.isWhole;
        unknown += cold.moves.some(({ value }) => value === null);
        const valueOf = (move) => expected.moves.find((other) => other.move === move);
        for (const { move, value, plies } of cold.moves.filter(({ value }) => value !== null)) {
            assert.deepEqual([value, plies], [valueOf(move).value, valueOf(move).plies], `${fen} ${move}`);
        }
        assert.ok(cold.value === null || cold.value === expected.value, fen);
        const whole = await tables.probe(game, { whole: true });
        assert.equal(whole.isWhole, true);
        assert.deepEqual(comparable(whole), comparable(expected));
        assert.ok(
            whole.moves.every((move) => move.drawingReplies === valueOf(move.move).drawingReplies),
            fen,
        );
        tables.close();
    }
    assert.ok(partial > 0 && unknown > 0, `${partial} partial answers, ${unknown} with unknown moves`);
    server.close();
});

test("memory holds the blocks that were read last, and no more than it may", async () => {
    const server = await serve();
    const game = (n) => mill.newGame("nine", POSITIONS[n]);
    const roomy = await openTablebase(server.url, { cache: null });
    await roomy.probe(game(0), { whole: true });
    const { bytes } = roomy.memory();
    assert.ok(bytes > 0);
    assert.equal((await roomy.probe(game(0), { whole: true })).cost.requests, 0);
    // Room for the first position alone: the second drives it out.
    const narrow = await openTablebase(server.url, { cache: null, memory: bytes });
    await narrow.probe(game(0), { whole: true });
    assert.deepEqual((await narrow.probe(game(0), { whole: true })).cost.requests, 0);
    assert.equal(narrow.memory().evicted, 0);
    for (const n of [1, 2, 3]) {
        await narrow.probe(game(n), { whole: true });
        assert.ok(narrow.memory().bytes <= bytes, JSON.stringify(narrow.memory()));
    }
    assert.ok(narrow.memory().evicted > 0, JSON.stringify(narrow.memory()));
    const again = await narrow.probe(game(0), { whole: true });
    assert.ok(again.cost.requests > 0, "it is fetched again");
    assert.deepEqual(comparable(again), comparable(await builtIn.probe(game(0))));
    server.close();
});

test("a host that fails now and then is asked again", async () => {
    // By lot, but always the same: with a pattern, one of several requests at a time may fail again and
    // again.
    const below = generator(7);
    const spoil = (_, answer) => {
        const trouble = below(6);
        if (trouble === 0) answer.status = 503;
        if (trouble === 1) answer.body = answer.body.subarray(0, answer.body.length >> 1);
    };
    const server = await serve(spoil);
    const tables = await openTablebase(server.url, { attempts: 8 });
    for (const fen of POSITIONS) {
        const game = mill.newGame("nine", fen);
        assert.deepEqual(comparable(await tables.probe(game)), comparable(await builtIn.probe(game)));
    }
    server.close();
});

test("a flipped bit is a message or does no harm, wherever it is", async () => {
    let flip = () => {};
    const server = await serve((_, answer, request) => flip(answer, request));
    const game = mill.newGame("nine", POSITIONS[0]);
    const expected = comparable(await builtIn.probe(game));
    const name = "3_3_0_0.dist";
    let [refused, harmless] = [0, 0];
    for (let bit = 0; bit < 8 * 55_000; bit += 4_001) {
        flip = (answer, request) => {
            const range = /^bytes (\d+)-(\d+)/.exec(answer.headers["content-range"] ?? "");
            if (!range || !request.url.endsWith(name)) return;
            const at = (bit >> 3) - Number(range[1]);
            if (at >= 0 && at < answer.body.length) answer.body[at] ^= 1 << (bit & 7);
        };
        const tables = await openTablebase(server.url);
        try {
            const found = await tables.probe(game);
            assert.deepEqual(comparable(found), expected, `bit ${bit}`);
            if (found.sector) assert.deepEqual(found.sector.wins, 140621, `bit ${bit}`);
            else assert.match(found.notes.join(), /3_3_0_0\.dist/, `bit ${bit}`);
            harmless += 1;
        } catch (error) {
            if (!["damaged", "unsupported-rules", "network"].includes(error.code)) throw error;
            refused += 1;
        }
        tables.close();
    }
    console.log(`${refused} refused, ${harmless} harmless`);
    assert.ok(refused > 9 && harmless > 9);
    server.close();
});

test("a bit flipped once is mended by another request", async () => {
    const hit = new Set();
    const server = await serve((_, answer, request) => {
        const key = `${request.url} ${request.headers.range}`;
        if (answer.body.length > 600 && !hit.has(key)) answer.body[500] ^= 4;
        hit.add(key);
    });
    const tables = await openTablebase(server.url);
    const game = mill.newGame("nine", POSITIONS[0]);
    assert.deepEqual(comparable(await tables.probe(game)), comparable(await builtIn.probe(game)));
    server.close();
});

test("a bit flipped in the head of a file costs the statistics once at most, and says so", async () => {
    const position = "*****O**/*@***@*@/***OO@O* b m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    const game = mill.newGame("nine", position);
    const { sector } = await builtIn.probe(game);
    let flips = 1;
    const server = await serve((_, answer, request) => {
        const isHead = request.url.endsWith(sector.file) && /^bytes 0-/.test(answer.headers["content-range"]);
        if (isHead && flips-- > 0) answer.body[196] ^= 16;
    });
    const tables = await openTablebase(server.url);
    const mended = await tables.probe(game);
    assert.deepEqual(mended.sector, sector);
    assert.equal(mended.notes.filter((note) => note.includes(sector.file)).length, 0);
    flips = Infinity;
    const other = await openTablebase(server.url);
    const cut = await other.probe(game);
    assert.deepEqual(comparable(cut), comparable(mended));
    assert.equal(cut.sector, null);
    // To ask for the whole answer would not help.
    assert.equal(cut.isWhole, true);
    assert.equal(cut.notes.filter((note) => note.includes(sector.file)).length, 1, cut.notes.join());
    server.close();
});

test("files that were missing are asked for again on demand", async () => {
    let isThere = false;
    let requests = 0;
    const server = await serve((_, answer) => {
        requests++;
        if (!isThere) answer.status = 404;
    });
    const tables = await openTablebase(server.url, { cache: null });
    const game = mill.newGame("nine", POSITIONS[2]);
    await assert.rejects(tables.probe(game), (error) => error.code === "missing");
    isThere = true;
    const before = requests;
    await assert.rejects(tables.probe(game), (error) => error.code === "missing");
    assert.equal(requests, before);
    assert.deepEqual(
        comparable(await tables.probe(game, { again: true })),
        comparable(await builtIn.probe(game)),
    );
    server.close();
});

test("statistics that a host hides with the length of the file are explained, and come when it does not", async () => {
    let hides = true;
    const server = await serve((_, answer) => void (hides && delete answer.headers["content-range"]));
    // The first ones are of sectors that the files hold.
    for (const fen of POSITIONS.slice(0, 2)) {
        hides = true;
        const tables = await openTablebase(server.url, { cache: null });
        const game = mill.newGame("nine", fen);
        const expected = await builtIn.probe(game);
        const found = await tables.probe(game, { whole: true });
        assert.deepEqual(comparable(found), comparable(expected));
        assert.equal(found.sector, null);
        assert.deepEqual(
            [found.unsized.length, found.notes.length],
            [1, found.absent.length + 1],
            found.notes.join(),
        );
        assert.ok(found.unsized[0].startsWith(`${expected.sector.name}.`), found.unsized[0]);
        assert.match(found.notes.at(-1), /^\S+ has no statistics: .*Content-Range/);
        assert.equal((await tables.probe(game)).unsized.length, 1, "also from memory");
        hides = false;
        const again = await tables.probe(game, { whole: true, again: true });
        assert.deepEqual([again.sector?.wins, again.unsized], [expected.sector.wins, []]);
        assert.equal(again.notes.length, again.absent.length);
        tables.close();
    }
    server.close();
});

test("messages say what is missing", async () => {
    const server = await serve();
    const tables = await openTablebase(server.url);
    const fen = "@*OO**O@/@@O@*O*@/OO@@@O** w m s 8 0 9 0 0 0 -1 -1 -1 -1 0 2 11 ids:nodes";
    const start = mill.newGame("nine", fen);
    await assert.rejects(
        tables.probe(start),
        (error) => error.code === "missing" && /\.(dist|wdl)/.test(error.message),
    );
    server.close();
    const gone = await openTablebase(server.url, { attempts: 2 });
    await assert.rejects(
        gone.probe(start),
        (error) => error.code === "network" && /2 attempts/.test(error.message),
    );
    const whole = await serve((_, answer) => (answer.status = answer.status === 206 ? 200 : answer.status));
    const tablesOfIt = await openTablebase(whole.url);
    const game = mill.newGame("nine", POSITIONS[0]);
    await assert.rejects(tablesOfIt.probe(game), (error) => error.code === "no-ranges");
    whole.close();
    const late = await serve((_, answer) => (answer.delay = 2_000));
    const slow = await openTablebase(late.url, { attempts: 2, timeout: 50 });
    await assert.rejects(
        slow.probe(game),
        (error) => error.code === "network" && /in time/.test(error.message),
    );
    late.close();
    for (const [spoil, found] of [
        [
            (answer) => (answer.body = answer.body.subarray(1)),
            /found \d+ bytes from 0 on, expected \d+ bytes from 0/,
        ],
        [
            ({ headers }) => (headers["content-range"] &&= headers["content-range"].replace(/ \d+/, " 7")),
            /found \d+ bytes from 7 on, expected \d+ bytes from 0/,
        ],
    ]) {
        const wrong = await serve((_, answer) => void spoil(answer));
        const cut = await openTablebase(wrong.url, { attempts: 2 });
        await assert.rejects(
            cut.probe(game),
            (error) => error.code === "truncated" && found.test(error.message),
        );
        wrong.close();
    }
});

test("what was only fetched ahead may fail: the answer does not, and does not wait for it", async () => {
    // The requests of each answer, and of those the ones without which there is no answer.
    const game = (fen) => mill.newGame("nine", fen);
    let ahead = 0;
    for (const fen of POSITIONS) {
        const asked = [];
        let fail = () => false;
        const server = await serve((_, answer, request) => {
            const key = `${request.url} ${request.headers.range}`;
            asked.push(key);
            const how = fail(key);
            if (how === "status") answer.status = 403;
            if (how === "late") answer.delay = 1_500;
            if (how === "short") answer.body = answer.body.subarray(0, answer.body.length >> 1);
        });
        const expected = comparable(await builtIn.probe(game(fen)));
        const first = await openTablebase(server.url, { cache: null });
        await first.probe(game(fen));
        first.close();
        const keys = [...new Set(asked)];
        for (const [n, key] of keys.entries()) {
            fail = (other) => other === key && ["status", "late", "short"][n % 3];
            const tables = await openTablebase(server.url, { cache: null, attempts: 2, timeout: 300 });
            try {
                const found = await tables.probe(game(fen));
                assert.deepEqual(comparable(found), expected, `${fen} without ${key}`);
                ahead += 1;
            } catch (error) {
                assert.ok(["network", "refused", "truncated"].includes(error.code), error.message);
                assert.match(error.message, /\.(wdl|dist)/);
            }
            tables.close();
        }
        server.close();
    }
    console.log(`${ahead} requests could stay away`);
    assert.ok(ahead >= 3, `${ahead} requests could stay away`);
});

test("a probe that is given up ends at once, and the next one does not wait for its host", async () => {
    let hangs = false;
    const server = await serve((_, answer) => (answer.delay = hangs ? 60_000 : 0));
    const tables = await openTablebase(server.url, { cache: null });
    const [known, other] = POSITIONS.map((fen) => mill.newGame("nine", fen));
    const expected = comparable(await tables.probe(known));
    hangs = true;
    const giveUp = new AbortController();
    const begin = performance.now();
    const hanging = [
        tables.probe(other, { signal: giveUp.signal }),
        tables.probe(other, { signal: giveUp.signal }),
    ];
    const ended = hanging.map((probe) => assert.rejects(probe, { name: "AbortError" }));
    await new Promise((done) => setTimeout(done, 100));
    giveUp.abort();
    assert.deepEqual(comparable(await tables.probe(known)), expected);
    await Promise.all(ended);
    assert.ok(performance.now() - begin < 2_000, "nothing waited for the host");
    // One that waits between two attempts ends too.
    const refusing = await serve((_, answer) => (answer.status = 503));
    const remote = await openTablebase(refusing.url, { cache: null, attempts: 10 });
    const signal = AbortSignal.timeout(400);
    await assert.rejects(remote.probe(other, { signal }), { name: "TimeoutError" });
    assert.ok(performance.now() - begin < 3_000, "nothing waited for the host");
    // The end of the explorer is the end of its probes.
    const last = assert.rejects(tables.probe(other), { code: "network", message: "the explorer is closed" });
    tables.close();
    await last;
    remote.close();
    server.close();
    refusing.close();
});

test("a probe that is given up before its turn ends at once, and the one before goes on", async () => {
    const server = await serve((_, answer) => (answer.delay = 400));
    const tables = await openTablebase(server.url, { cache: null });
    const [game, other] = POSITIONS.map((fen) => mill.newGame("nine", fen));
    let isAnswered = false;
    const first = tables.probe(game).finally(() => (isAnswered = true));
    const signal = AbortSignal.timeout(50);
    await assert.rejects(tables.probe(other, { signal }), { name: "TimeoutError" });
    await assert.rejects(tables.probe(other, { signal }), { name: "TimeoutError" });
    assert.ok(!isAnswered, "the probe that was given up did not wait");
    assert.deepEqual(comparable(await first), comparable(await builtIn.probe(game)));
    tables.close();
    server.close();
});

test("an explorer may be closed at any moment of a probe", async () => {
    const server = await serve();
    const game = mill.newGame("nine", POSITIONS[1]);
    let ended = 0;
    for (let wait = 0; wait < 200; wait++) {
        const tables = await openTablebase(server.url, { cache: null });
        const probe = tables.probe(game, { again: wait % 2 === 1 }).catch((error) => error);
        // Moments of the tasks of the host, and of the promises between them.
        for (let turn = 0; turn < wait >> 1; turn++) await (turn % 4 ? null : new Promise(setImmediate));
        tables.close();
        const found = await probe;
        if (found instanceof Error) assert.equal(found.message, "the explorer is closed");
        else ended += 1;
    }
    console.log(`${ended} probes had ended`);
    server.close();
});

test("messages name the cause, what was found and what was expected", async () => {
    const game = mill.newGame("nine", POSITIONS[0]);
    const refusal = async (spoil, game, options = {}) => {
        const server = await serve(spoil);
        const tables = await openTablebase(server.url, { cache: null, attempts: 2, ...options });
        const error = await tables.probe(game).then(
            () => assert.fail("an answer"),
            (error) => error,
        );
        server.close();
        return error;
    };
    let requests = 0;
    const forbidden = await refusal((_, answer) => void (requests++, (answer.status = 403)), game);
    assert.equal(forbidden.code, "refused");
    assert.match(forbidden.message, /answers 403 .*expected 206/);
    const before = requests;
    const busy = await refusal((_, answer) => void (requests++, (answer.status = 503)), game);
    assert.equal(busy.code, "refused");
    assert.match(busy.message, /after 2 attempts: the host answers 503/);
    assert.ok(requests - before > before, "only what may pass is asked again");

    const nothing = await refusal((_, answer) => {
        Object.assign(answer, { status: 416, body: Buffer.alloc(0) });
        answer.headers["content-range"] = "bytes */0";
    }, game);
    assert.equal(nothing.code, "empty");
    assert.match(nothing.message, /found no byte in .*, expected a tablebase file/);
    const emptyWhole = await refusal(
        (_, answer) =>
            Object.assign(answer, { status: 200, body: Buffer.alloc(0), headers: { "content-length": "0" } }),
        game,
    );
    assert.equal(emptyWhole.code, "empty");

    const webPage = await refusal((_, answer) => {
        Object.assign(answer, {
            status: 200,
            body: Buffer.from("<!doctype html>"),
            headers: { "content-type": "text/html" },
        });
    }, game);
    assert.equal(webPage.code, "missing");
    assert.match(webPage.message, /found a web page in the place of .*, expected the file/);

    // The same files asked for a game whose tables have the same names.
    const twelve = mill.newGame("twelve", POSITIONS[0]);
    const foreign = await refusal(() => {}, twelve);
    assert.equal(foreign.code, "foreign");
    assert.match(foreign.message, /made for nine( or lasker)?, expected twelve/);

    for (const [url, found] of [
        ["http://127.0.0.1:1/tables/?key=1", "?key=1"],
        ["http://127.0.0.1:1/tables/#part", "#part"],
        ["http://me@127.0.0.1:1/", "me@"],
        ["http://:secret@127.0.0.1:1/", ":…@"],
        ["http://me:secret@127.0.0.1:1/", "me@"],
        ["http://me:a/secret@127.0.0.1/", "http://me:…@127.0.0.1/"],
        ["ftp://127.0.0.1/", "ftp:"],
        ["no address", "no address"],
    ]) {
        const error = await openTablebase(url).catch((error) => error);
        assert.equal(error.code, "bad-argument", url);
        assert.ok(error.message.includes(`'${found}'`), error.message);
        assert.ok(!error.message.includes("secret"), error.message);
    }
});
