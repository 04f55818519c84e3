// Measures what cold positions cost from a local host: requests, bytes and milliseconds. The positions are
// random, and the same in every run.
// usage: node web/engine/tools/cold.js [FOLDER OF TABLES, or - for the built-in ones [POSITIONS [RULES]]]

import { load, openTablebase } from "../index.js";
import { filesOf, serve } from "./host.js";

/** A generator of random numbers below `n`, always the same ones. */
export function generator(seed) {
    let state = seed;
    return (n) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * n);
    };
}

/** A random position of a sector, from the side of its mover; `placings` begin the game. */
export function position(sector, below, placings = 18) {
    const [own, theirs, ownHand, theirHand] = sector;
    const board = Array(24).fill("*");
    // In the placing phase White has as many men in hand as Black when it is to move, Black one more.
    const isWhite = ownHand + theirHand === 0 ? below(2) === 0 : ownHand === theirHand;
    for (const [man, men] of [
        [isWhite ? "O" : "@", own],
        [isWhite ? "@" : "O", theirs],
    ]) {
        for (let placed = 0; placed < men;) {
            const at = below(24);
            if (board[at] === "*") {
                board[at] = man;
                placed++;
            }
        }
    }
    const rings = [0, 8, 16].map((ring) => board.slice(ring, ring + 8).join("")).join("/");
    const phase = ownHand + theirHand === 0 ? "m s" : "p p";
    const men = isWhite ? [own, ownHand, theirs, theirHand] : [theirs, theirHand, own, ownHand];
    const ply = ownHand + theirHand === 0 ? 30 : placings - ownHand - theirHand;
    return `${rings} ${isWhite ? "w" : "b"} ${phase} ${men.join(" ")} 0 0 -1 -1 -1 -1 0 0 ${ply >> 1} ids:nodes`;
}

/** Probes random positions of all sectors of the files, each with an explorer that knows nothing. */
export async function measure(files, count, options = {}) {
    const mill = await load();
    const rules = options.rules ?? "nine";
    const [white, black] = mill.newGame(rules).state().hands;
    const below = generator(2024);
    const sectors = [...new Set([...files.keys()].map((name) => name.replace(/\..*/, "")))].sort();
    const server = await serve(files, options.spoil);
    const found = [];
    for (let n = 0; n < count; n++) {
        const sector = sectors[below(sectors.length)].split("_").map(Number);
        let game;
        try {
            game = mill.newGame(rules, position(sector, below, white + black));
        } catch {
            continue;
        }
        if (game.state().result) continue;
        const tables = await openTablebase(server.url, { cache: null });
        const begin = performance.now();
        try {
            const probe = await tables.probe(game);
            found.push({
                sector: sector.join("_"),
                fen: game.fen(),
                ms: performance.now() - begin,
                ...probe.cost,
                probe,
            });
        } catch (error) {
            // The sectors of the moves may be missing.
            if (error.code !== "missing") throw error;
        }
        tables.close();
    }
    server.close();
    return found;
}

function summary(name, numbers) {
    const sorted = [...numbers].sort((a, b) => a - b);
    const mean = sorted.reduce((sum, number) => sum + number, 0) / sorted.length;
    const at = (share) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]);
    return `${name}: mean ${mean.toFixed(1)}, median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`;
}

if (process.argv[1] && import.meta.url.endsWith(process.argv[1].split("/").at(-1))) {
    const [folder, count, rules] = process.argv.slice(2);
    const files = filesOf(folder === "-" ? undefined : folder);
    const found = await measure(files, Number(count ?? 200), { rules });
    for (const [phase, isPhase] of [
        ["moving", ({ sector }) => sector.endsWith("_0_0")],
        ["placing", ({ sector }) => !sector.endsWith("_0_0")],
    ]) {
        // The first one warms up the module.
        const of = found.slice(1).filter(isPhase);
        if (of.length === 0) continue;
        console.log(`${phase}: ${of.length} cold positions`);
        for (const field of ["requests", "bytes", "ms"])
            console.log(
                `  ${summary(
                    field,
                    of.map((one) => one[field]),
                )}`,
            );
        const full = of.filter(
            ({ probe }) =>
                probe.sector && probe.moves.every((m) => m.value !== "draw" || m.drawingReplies !== null),
        );
        console.log(
            `  whole answers: ${full.length}, without values: ${of.filter(({ probe }) => probe.moves.some((m) => m.value === null)).length}`,
        );
        for (const one of [...of].sort((a, b) => b.requests - a.requests || b.bytes - a.bytes).slice(0, 4)) {
            console.log(
                `  ${one.requests} requests, ${one.bytes} bytes, ${Math.round(one.ms)} ms: ${one.fen}`,
            );
        }
    }
}
