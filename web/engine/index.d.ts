// millstone-mill: the engine Millstone for browsers and Node.

/**
 * Where the files of the package are. By default they lie in `dist` beside `index.js`; relative addresses of
 * files count from the folder of `index.js`.
 */
export interface EngineOptions {
    /**
     * Folder of `millstone.wasm` and `millstone-simd.wasm`, as an address that ends in `/`. Each thread loads
     * the module once; later addresses are ignored.
     */
    wasmUrl?: string;
    /**
     * Address of the built-in tablebase of Nine Men's Morris, `tablebase.bin`. The engine fetches it while it
     * thinks about the first move. An empty text leaves it out; `openTablebase(null)` refuses it. Each thread loads the
     * tablebase once; later addresses are ignored.
     */
    tablebaseUrl?: string;
    /**
     * Address of the certificate of never losing, `certificate.bin`. The engine fetches it when it is first
     * asked to play nine men's morris at full strength, and waits for it for at most 20 seconds. An empty
     * text leaves it out.
     */
    certificateUrl?: string;
    /**
     * Folder of the networks and built-in tablebases of the other games, `network-….bin` and
     * `tablebase-….bin`, as an address that ends in `/`. The engine fetches those of a game when it is first
     * asked to play it, and waits for the network for at most 20 seconds. An empty text leaves them out: the
     * engine then plays these games less well.
     */
    variantsUrl?: string;
}

/** A UCI engine in a Web Worker (in Node: in a worker thread). */
export class Engine {
    constructor(options?: EngineOptions);
    /** Sends one line of UCI text. Lines sent before the engine has loaded wait for it. */
    send(line: string): void;
    /** Calls the listener for every line of the engine, until `terminate` or the returned function is called. */
    onLine(listener: (line: string) => void): () => void;
    /** Calls the listener if the worker cannot start or breaks down, until `terminate()`. */
    onError(listener: (error: Error) => void): () => void;
    /** Ends the worker at once. Until then it keeps a Node process alive. */
    terminate(): void;
}

/** Loads the rules of the game for the calling thread. Further calls load nothing again. */
export function load(options?: EngineOptions): Promise<Library>;

/** A set of rules. */
export interface RuleSet {
    /** The value of the option `UCI_Variant` and of `newGame`: `nine`, `lasker`, ... */
    id: string;
    /** The name in records: `Nine Men's Morris`. */
    name: string;
    /** Men of each side. */
    men: number;
    diagonals: boolean;
    /** Men with which a side may fly; 0 if nobody may. */
    flyingAt: number;
    /** One line in English that says how it differs from the standard game. */
    rules: string;
    /** True if the built-in tablebase holds values for it. */
    builtInTables: boolean;
}

export interface Library {
    /** The thirteen rule sets. */
    ruleSets(): RuleSet[];
    /** Starts a game of a rule set, or from a position text of it. Throws `MillError`. */
    newGame(rules: string, position?: string): Game;
    /**
     * Reads the first game of a text: any of the four record forms, or a position text. `rules` holds where
     * the text names none. Throws `MillError`, whose message names line and word, if this game has an error
     * or there is none.
     */
    readGame(text: string, rules?: string): Game;
    /**
     * Reads every game of a text, and the messages about those that cannot be read. Of these, `games` may
     * have the sound beginning. `numbers` are the numbers of `games` in the text, from 1.
     */
    readGames(text: string, rules?: string): { games: Game[]; numbers: number[] } & ReadMessages;
    /** The version of the engine. */
    version(): string;
}

/** What readers of records say. */
export interface ReadMessages {
    /** Sentences with line and word. */
    errors: string[];
    /** The same with the number of the game in the text, from 1. */
    faults: { game: number; line: number; reason: string }[];
    /**
     * Contradictions that did not matter, and unknown variants with the rules that were taken in their place.
     */
    notes: string[];
}

/** A recorded game as `readRecords` returns it. */
export interface RecordedGame {
    /** The number of the game in the text, from 1. */
    number: number;
    rules: string;
    /** White and Black, where the record names them. */
    players: [string | null, string | null];
    event: string | null;
    date: string | null;
    result: "1-0" | "0-1" | "1/2-1/2" | "*";
    /** Moves of the game, as `Game.plies` counts them. */
    plies: number;
    /** The game as PGN-like text, for `Library.readGame`. */
    text: string;
}

/** As `Library.readGames`, in a worker: the calling thread stays free while a large text is read. */
export function readRecords(
    text: string,
    rules?: string,
    options?: EngineOptions,
): Promise<{ games: RecordedGame[] } & ReadMessages>;

/** A point of the board: `a1` to `g7`. */
export type Point = string;
/** A move in the notation of the protocol: `d6`, `d6-f6`, or the take `xd6`, which is a move of its own. */
export type Move = string;
export type Side = "w" | "b";

export interface GameState {
    side: Side;
    phase: "place" | "move" | "fly" | "take" | "over";
    /**
     * 24 characters, in the order of the numbers of points in docs/rules.md (0 = d5, inner ring clockwise,
     * then the middle and the outer ring): `w`, `b`, `.` empty, `x` a marked point, closed until placing
     * ends.
     */
    board: string;
    /** Men in hand, White first. */
    hands: [number, number];
    /** Men that White and Black still have to take. */
    takes: [number, number];
    /** Closed mills: three points each. */
    mills: Point[][];
    /** The moves of the latest turn. */
    lastMove: Move[];
    /** The end of the game, or null. `reason` is a stable word, `reasonText` a sentence in English. */
    result: null | { winner: Side | null; reason: string; reasonText: string };
}

export interface RecordedMove {
    text: Move;
    side: Side;
    /** The position after it. */
    fen: string;
    /** Comments after its turn. */
    comments: string[];
}

export interface Game {
    /** The id of the rule set; `custom` if a record has rules of its own. */
    readonly rules: string;
    /** Points and their neighbours under these rules, in the order of `GameState.board`. */
    points(): { name: Point; neighbours: number[] }[];
    /** All lines of the board: three point numbers each, the middle one second. */
    lines(): [number, number, number][];
    fen(): string;
    /** Moves from the start to the current position; a take is a move of its own. */
    ply(): number;
    /** Moves of the whole game, counted in the same way. */
    plies(): number;
    /** Goes to a position of the game: 0 is the start. Throws if there is none. */
    goto(ply: number): void;
    /** Legal moves in the current position. */
    legal(): Move[];
    /**
     * Plays a move; what followed in the game is cut off, and so is every variation. Throws `MillError` if
     * it is illegal or the game is over.
     */
    play(move: Move): void;
    /**
     * Plays several moves, all or none of them, and cuts off the same. Much faster than one after the other.
     * As in records, the moves may go on after a draw by repetition or by the number of moves.
     */
    playAll(moves: Iterable<Move>): void;
    /** One move back or forward; false at the end. */
    undo(): boolean;
    redo(): boolean;
    state(): GameState;
    /** The whole game, whatever `ply` is. */
    moves(): RecordedMove[];
    /** Comments before the first move. */
    comments(): string[];
    /** The line `position ...` that gives the engine the current position with its history. */
    positionCommand(): string;
    /** The lines `setoption ...` that give the engine these rules. */
    ruleOptions(): string[];
    /** A tag of the record, such as `White`. */
    tag(name: string): string | null;
    /**
     * Sets a tag, whose name has letters, digits, `_` and `-`. Throws for those that follow from the game,
     * such as `Result` and `FEN`: see `setResult`.
     */
    setTag(name: string, value: string): void;
    /**
     * Records the end by resignation or agreement. `play` sets the result anew, and drops the tag
     * `Termination`.
     */
    setResult(result: "1-0" | "0-1" | "1/2-1/2" | "*"): void;
    result(): "1-0" | "0-1" | "1/2-1/2" | "*";
    /** True if the record holds tags, comments, marks, variations or a result beyond what the moves tell. */
    hasMore(): boolean;
    /** The whole game: PGN-like text, or the moves on one line. */
    write(form: "pgn" | "tokens"): string;
    /** The current position as a drawing: a complete `<svg>` without script. */
    svg(): string;
    /**
     * The whole game turned and mirrored, as a game of its own that shows the same ply: start, moves, tags
     * and result. Comments, marks and variations are left out, also for 0, which changes no point. From 0 to
     * 15: the turns and mirrors of the board, each with and without the exchange of the inner and the outer
     * ring. Throws `MillError` for other numbers, and for a game that starts from a position with used
     * mills, or with captures due.
     */
    symmetry(n: number): Game;
    clone(): Game;
    /** Gives the memory back. Every use afterwards throws `MillError`. */
    free(): void;
}

/** Results for the side to move. */
export type Value = "win" | "draw" | "loss";

export interface ProbedMove {
    move: Move;
    /** For the side that plays it; null if the tablebase does not tell. */
    value: Value | null;
    /** As `Probe.plies`, if this move is played; the turn of the move counts. */
    plies: number | null;
    /** Replies that keep the draw, for a move that draws. */
    drawingReplies: number | null;
}

export interface Probe {
    /** The exact result, which ignores draws by repetition and by move counters. */
    value: Value | null;
    /**
     * Plies to the end of the game under best play, where stored: turns, each side's counted singly, takes
     * included. This is not the unit of `Game.ply`.
     */
    plies: number | null;
    /** Best first; those without a value last. */
    moves: ProbedMove[];
    /**
     * The sector of the position: its name and the counts of its file; null where no file tells. Sectors
     * count positions between turns. While a take is pending, this is a sector of the men on the board, if
     * there is one.
     */
    sector: null | {
        name: string;
        /** Men on the board and in hand, of the side to move and of the other. */
        men: [number, number];
        hands: [number, number];
        /** Canonical positions by their value for the side to move. */
        wins: number;
        draws: number;
        losses: number;
        /** Plies of the longest win, counted as in `Probe.plies`, where distances are stored. */
        longest: number | null;
        file: string;
        bytes: number;
    };
    /**
     * False if parts were left out, which are then null, because the answer would have taken more than ten
     * requests or 200 KB. `probe(game, { whole: true })` fetches them. Parts that cannot be read are null
     * too; `notes` says why.
     */
    isWhole: boolean;
    /** What the answer cost: requests, bytes received, and bytes from the caches. */
    cost: { requests: number; bytes: number; cached: number };
    /** Messages about files that are missing or cannot be read, and that the answer could do without. */
    notes: string[];
    /** The files that the host does not have, among those. */
    absent: string[];
    /**
     * The file whose length the host does not tell, among those: it does not expose `Content-Range` to other
     * origins. `sector` is then null.
     */
    unsized: string[];
}

export interface Explorer {
    /** What is kept in memory of the files on a host, and how many ranges had to make room for others. */
    memory(): { ranges: number; bytes: number; evicted: number };
    /**
     * Throws `MillError` with a message that says what is missing; never returns a wrong value. `whole`
     * fetches all parts of the answer, whatever they cost. `again` asks once more for files that the host did
     * not have. The answer is about the position that the game has now, also if the game goes on. Probes of
     * one explorer wait for each other. `signal` gives a probe up at once, also one that waits; it then rejects
     * with the reason of the signal.
     */
    probe(game: Game, options?: { whole?: boolean; again?: boolean; signal?: AbortSignal }): Promise<Probe>;
    close(): void;
}

export interface TablebaseOptions extends EngineOptions {
    /** Attempts for each request, 4 by default. */
    attempts?: number;
    /** Requests and bytes that an answer may cost, 10 and 200,000 by default; see `Probe.isWhole`. */
    requests?: number;
    bytes?: number;
    /** Milliseconds after which an attempt counts as failed, 8000 by default. */
    timeout?: number;
    /** Bytes of compressed blocks in memory, 32 MiB by default. */
    memory?: number;
    /**
     * Name of the cache in Cache Storage, `millstone-tables` by default; null for none. It holds about 256
     * MiB; several tabs at once may exceed it.
     */
    cache?: string | null;
}

/**
 * Opens a folder of tablebase files on a static host, through range requests; null for the built-in
 * tablebase. That of another game than Nine Men's Morris is loaded when a position of it is first looked up.
 */
export function openTablebase(url: string | null, options?: TablebaseOptions): Promise<Explorer>;

/** An error with a stable code. The message is a sentence in English. */
export class MillError extends Error {
    constructor(code: MillError["code"], message: string, file?: string);
    code:
        | "illegal-move"
        | "bad-position"
        | "bad-record"
        | "bad-rules"
        | "bad-argument"
        | "missing"
        | "damaged"
        /** A sound tablebase file of another game or sector. */
        | "foreign"
        /** A file without a byte. */
        | "empty"
        | "network"
        /** The host answers, but with a status such as 403 or 503. */
        | "refused"
        /** The host sends another part of a file than was asked for, or less of it. */
        | "truncated"
        | "no-ranges"
        | "unsupported-rules"
        | "no-value";
    /** The tablebase file concerned, if one is. */
    file?: string;
}
