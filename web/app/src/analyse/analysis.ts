import { signal } from "@preact/signals";
import type { Game, Probe } from "millstone-mill";
import { builtInTablebase, engine, rules } from "../engine/library";
import type { Info } from "../engine/info";
import { turns, type Turn } from "../parts/moves";
import { stateOf, type Desk } from "../state/desk";
import { byProbe, byResult, byScore, type Judgement } from "./judgement";

/** Names a position: the same text has another value under other rules. */
const keyOf = (game: Game, fen: string): string => [...game.ruleOptions(), fen].join("\n");

/** A line of the engine, with its moves joined to turns. */
export interface Line extends Info {
  turns: readonly Turn[];
}

/** Joins the moves of a line. Takes behind the last placing may be those of the other side. */
function lineOf(game: Game, info: Info): Line {
  const copy = game.clone();
  copy.playAll(info.pv);
  const moves = copy.moves().slice(game.ply());
  copy.free();
  return { ...info, turns: turns(moves) };
}

/** Analysis of the shown position and of whole games. */
export class Analysis {
  readonly on = signal(true);
  readonly lines = signal(3);
  /** The best lines of the shown position, best first. */
  readonly infos = signal<readonly Line[]>([]);
  /** The exact value of the shown position and its moves, where known. */
  readonly exact = signal<Probe | null>(null);
  /** Judgements by rules and position text. */
  private readonly judged = signal<ReadonlyMap<string, Judgement>>(new Map());
  /** Positions done and to do while a whole game is analysed, or null. */
  readonly progress = signal<readonly [number, number] | null>(null);
  /** True if the engine has failed twice at the shown position and waits to be started again. */
  readonly stalled = signal(false);
  /** Grows with every question; answers to older ones are not used. */
  private version = 0;
  private frame = 0;

  constructor(private readonly desk: Desk) {}

  /** What is known about a position under the rules of the game on the board. */
  judgement(fen: string): Judgement | undefined {
    return this.judged.value.get(keyOf(this.desk.game, fen));
  }

  private judge(key: string, judgement: Judgement | null): void {
    const old = this.judged.value.get(key);
    // A search never replaces an exact value.
    if (!judgement || (old?.exact && !judgement.exact)) return;
    this.judged.value = new Map(this.judged.value).set(key, judgement);
  }

  private options(game: Game, lines: number): string[] {
    return [
      ...game.ruleOptions(),
      "setoption name UCI_LimitStrength value false",
      "setoption name SkillLevel value 30",
      `setoption name MultiPV value ${lines}`,
      "setoption name UCI_AnalyseMode value true",
    ];
  }

  /** Forgets what it knows of other games. */
  reset(): void {
    this.judged.value = new Map();
  }

  /** Analyses the shown position until the next call. */
  look(): void {
    const version = ++this.version;
    const { state, fen, legal } = this.desk.view.peek();
    const key = keyOf(this.desk.game, fen);
    this.progress.value = null;
    this.infos.value = [];
    this.exact.value = null;
    this.stalled.value = false;
    engine().drop();
    if (state.result) {
      this.judge(key, byResult(state.result));
      return;
    }
    if (!this.on.peek() || legal.length === 0) return;
    void this.probe(this.desk.game).then((probe) => {
      if (version !== this.version || !probe) return;
      this.exact.value = probe;
      this.judge(key, byProbe(probe, state.side));
    });
    this.search(version, key);
  }

  /** Starts the engine again after it has failed. */
  restart(): void {
    if (this.stalled.value) this.look();
  }

  private search(version: number, key: string, isSecond = false): void {
    const view = this.desk.view.peek();
    const found: Info[] = [];
    const answer = engine().ask({
      options: this.options(this.desk.game, this.lines.peek()),
      position: this.desk.game.positionCommand(),
      go: "go infinite",
      onInfo: (info) => {
        found[info.line - 1] = info;
        if (this.frame) return;
        // The engine tells more than a screen can show.
        this.frame = requestAnimationFrame(() => {
          this.frame = 0;
          if (version !== this.version || view !== this.desk.view.peek()) return;
          this.infos.value = found.filter(Boolean).map((info) => lineOf(this.desk.game, info));
          if (found[0]) this.judge(key, byScore(found[0].score, view.state.side));
        });
      },
    });
    void answer.then((move) => {
      // A search without end gives no move unless it is dropped: the worker has failed.
      if (move !== null || version !== this.version) return;
      if (!isSecond) this.search(version, key, true);
      else this.stalled.value = true;
    });
  }

  /** Ends all work. */
  stop(): void {
    this.version++;
    this.progress.value = null;
    engine().drop();
  }

  private async probe(game: Game): Promise<Probe | null> {
    const set = rules()
      .ruleSets()
      .find(({ id }) => id === game.rules);
    // Rules without a name of their own may have values.
    if (set?.builtInTables === false) return null;
    const copy = game.clone();
    try {
      return await (await builtInTablebase()).probe(copy);
    } catch {
      // Unknown to the tablebase, or it cannot be loaded: the search judges alone.
      return null;
    } finally {
      copy.free();
    }
  }

  /** Judges every position of the game, exactly where possible. */
  async whole(): Promise<void> {
    const version = ++this.version;
    engine().drop();
    const game = this.desk.game.clone();
    const plies = game.plies();
    let failures = 0;
    for (let ply = 0; ply <= plies && failures < 2; ply++) {
      if (version !== this.version) break;
      this.progress.value = [ply, plies + 1];
      game.goto(ply);
      failures = (await this.one(game, version)) ? 0 : failures + 1;
    }
    game.free();
    if (version !== this.version) return;
    if (failures < 2) return this.look();
    this.progress.value = null;
    this.stalled.value = true;
  }

  /** Judges a position. Returns false if the engine has failed. */
  private async one(game: Game, version: number): Promise<boolean> {
    const { side, result } = stateOf(game);
    const key = keyOf(game, game.fen());
    const probe = result ? null : await this.probe(game);
    const exact = result ? byResult(result) : probe && byProbe(probe, side);
    if (exact) this.judge(key, exact);
    // Another question may have been asked meanwhile, which this one would end.
    if (exact || version !== this.version) return true;
    let last: Info | null = null;
    const move = await engine().ask({
      options: this.options(game, 1),
      position: game.positionCommand(),
      go: "go movetime 200",
      onInfo: (info) => (last = info),
    });
    if (last) this.judge(key, byScore((last as Info).score, side));
    return move !== null;
  }
}
