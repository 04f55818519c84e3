// Plans which ranges of files are fetched by which requests.

/** The bytes of a block as far as one can tell before the index is there. */
const USUAL_BLOCK = 25_000;
/** The most bytes to fetch ahead. */
const MOST_AHEAD = 65_536;
/** Ranges of one file with a smaller gap are fetched together. */
const GAP = 4096;
/** The largest gap that is bridged if the answer would take too many requests otherwise. */
const WIDEST_GAP = 65_536;
/** Requests at a time. */
export const PARALLEL = 6;

/** Puts ranges of the same file together if the gap between them is small. */
function merge(ranges, gap) {
    const merged = [];
    for (const range of [...ranges].sort((a, b) =>
        a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start,
    )) {
        const last = merged.at(-1);
        if (last && last.file === range.file && range.start - last.end <= gap) {
            last.end = Math.max(last.end, range.end);
        } else merged.push({ file: range.file, start: range.start, end: range.end });
    }
    return merged;
}

export const size = (requests) => requests.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * Plans the requests for ranges. As long as they are more than half of those that are left, wider gaps are
 * bridged, if the bytes that are left allow it.
 */
export function plan(ranges, left) {
    let requests = merge(ranges, GAP);
    for (let gap = 2 * GAP; gap <= WIDEST_GAP && requests.length > Math.max(2, left.requests / 2); gap *= 2) {
        const fewer = merge(ranges, gap);
        if (size(fewer) > left.bytes) break;
        requests = fewer;
    }
    return requests;
}

export const fits = (requests, left) => requests.length <= left.requests && size(requests) <= left.bytes;

/** Chooses the moves whose ranges can be fetched, the cheapest ones first. */
export function choose(ranges, left) {
    const rest = new Set(ranges.flatMap((range) => range.moves));
    const chosen = new Set();
    let planned = [];
    for (;;) {
        let best = null;
        for (const move of rest) {
            const isNeeded = (number) => number === move || chosen.has(number);
            const attempt = plan(
                ranges.filter((range) => range.moves.some(isNeeded)),
                left,
            );
            if (!fits(attempt, left)) continue;
            const isWorse =
                best && (attempt.length - best.attempt.length || size(attempt) - size(best.attempt)) >= 0;
            if (!isWorse) best = { move, attempt };
        }
        if (!best) return { requests: planned, leftOut: rest };
        chosen.add(best.move);
        rest.delete(best.move);
        planned = best.attempt;
    }
}

/**
 * Adds ranges of other parts to a plan, those of the first list of parts for which room is left and no answer
 * is waited for much longer. They then need no request of their own, later.
 */
export function withMore(planned, needed, ranges, left, lists) {
    // Every range of the index leads to a block, but for the header.
    const blocks = needed.filter(({ isIndex, start }) => isIndex && start > 0).length;
    const room = { requests: left.requests - blocks, bytes: left.bytes - blocks * USUAL_BLOCK };
    for (const parts of lists) {
        const more = ranges.filter(({ part }) => parts.includes(part));
        const attempt = plan([...needed, ...more], room);
        const isQuick = attempt.length <= Math.max(PARALLEL, planned.length);
        const isSmall = size(attempt) <= size(planned) + MOST_AHEAD;
        if (fits(attempt, room) && isQuick && isSmall) return attempt;
    }
    return planned;
}
