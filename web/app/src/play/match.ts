import { signal } from "@preact/signals";
import type { Side } from "millstone-mill";
import { spokenLast, spokenMove } from "../board/spoken";
import { engine, rules } from "../engine/library";
import { t } from "../i18n";
import { announce } from "../parts/live";
import { turns } from "../parts/moves";
import { Desk, isStored, restore, type Stored } from "../state/desk";
import { isObject, read, write } from "../state/storage";
import { Clock } from "./clock";
import { resultText } from "../parts/result";
import { isSettings, strength, type Settings } from "./settings";

/** The end of a game: by the rules, by resignation or on time. */
export interface Outcome {
  winner: Side | null;
  reason: string;
}

interface Saved {
  settings: Settings;
  human: Side;
  game: Stored;
  left: [number, number];
  outcome: Outcome | null;
  /** See `Match.paid`. Older versions of the page did not store it. */
  paid?: number;
}

const isOutcome = (value: unknown): value is Outcome =>
  isObject(value) &&
  ["w", "b", null].includes(value["winner"] as Side | null) &&
  typeof value["reason"] === "string";

const isSaved = (value: unknown): value is Saved =>
  isObject(value) &&
  isSettings(value["settings"]) &&
  ["w", "b"].includes(value["human"] as string) &&
  isStored(value["game"]) &&
  Array.isArray(value["left"]) &&
  value["left"].length === 2 &&
  value["left"].every((time) => typeof time === "number" && time >= 0) &&
  (value["outcome"] === null || isOutcome(value["outcome"])) &&
  ["number", "undefined"].includes(typeof value["paid"]);

const other = (side: Side): Side => (side === "w" ? "b" : "w");

/** The least time that a move of the engine takes, so that the eye can follow. */
const PACE = 350;
/** Undoes what the analysis sets for itself. */
const PLAYING = ["setoption name MultiPV value 1", "setoption name UCI_AnalyseMode value false"];
/**
 * Forgets what hints and analyses have found: a weak opponent would play by it. Options are sent again only
 * after questions with other ones, so that the engine keeps what it has found itself.
 */
const FORGET = "setoption name Clear Hash";
const HINT = "go movetime 700";

/** A game of the reader against the engine. */
export class Match {
  readonly desk: Desk;
  readonly clock: Clock | null;
  readonly outcome = signal<Outcome | null>(null);
  readonly thinking = signal(false);
  /** True if the engine has failed twice in this turn and waits to be started again. */
  readonly stalled = signal(false);
  readonly hint = signal<string | null>(null);
  readonly hinting = signal(false);
  private isRunning = false;
  /** Grows with every change; an answer to an older number is no longer wanted. */
  private version = 0;
  /** The number of turns that have had their increment: one that is played again gets no second one. */
  private paid: number;

  private constructor(
    readonly settings: Settings,
    readonly human: Side,
    desk: Desk,
    left: readonly [number, number],
  ) {
    this.desk = desk;
    const { moves, state } = desk.view.value;
    this.paid = turns(moves).length - Number(state.phase === "take");
    this.clock = settings.clock
      ? new Clock(left, (side) => this.end({ winner: other(side), reason: "time" }))
      : null;
  }

  /** Starts a new game. */
  static begin(settings: Settings): Match {
    const human = settings.colour === "random" ? (Math.random() < 0.5 ? "w" : "b") : settings.colour;
    const time = (settings.clock?.[0] ?? 0) * 60_000;
    const match = new Match(settings, human, new Desk(rules().newGame(settings.rules)), [time, time]);
    match.save();
    return match;
  }

  /** Goes on with the game of the last visit, if there is one. */
  static resume(): Match | null {
    const saved = read("play", isSaved);
    if (!saved) return null;
    try {
      const match = new Match(
        saved.settings,
        saved.human,
        new Desk(restore(rules(), saved.game)),
        saved.left,
      );
      match.outcome.value = saved.outcome;
      match.paid = saved.paid ?? match.paid;
      return match;
    } catch {
      // A game that an older version of the page has stored in another way.
      return null;
    }
  }

  /** Lets the game run, if it does not yet. To be called once the game is shown. */
  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    addEventListener("pagehide", this.saveClock);
    document.addEventListener("visibilitychange", this.saveHidden);
    this.proceed();
  }

  /** Stops clock and engine, and keeps the time. */
  leave(): void {
    this.saveClock();
    this.stop();
  }

  /** Stops clock and engine. */
  stop(): void {
    this.isRunning = false;
    removeEventListener("pagehide", this.saveClock);
    document.removeEventListener("visibilitychange", this.saveHidden);
    this.version++;
    this.clock?.stop();
    if (this.thinking.value || this.hinting.value) engine().drop();
    this.thinking.value = false;
    this.stalled.value = false;
    this.hinting.value = false;
  }

  /** True if the reader may move now. */
  get yourTurn(): boolean {
    return !this.outcome.value && this.desk.view.value.state.side === this.human;
  }

  /** Every move is saved as it is made; only the clock goes on after it. */
  private readonly saveClock = (): void => {
    if (this.isRunning && this.clock && !this.outcome.value) this.save();
  };

  /** Phones end a page in the background without `pagehide`. */
  private readonly saveHidden = (): void => {
    if (document.hidden) this.saveClock();
  };

  /** The game so far, without the moves that were taken back. */
  get played(): Stored {
    const game = this.desk.store();
    return { ...game, moves: game.moves.slice(0, game.ply) };
  }

  private save(): void {
    const saved: Saved = {
      settings: this.settings,
      human: this.human,
      game: this.played,
      left: [...(this.clock?.left.value ?? [0, 0])],
      outcome: this.outcome.value,
      paid: this.paid,
    };
    write("play", saved);
  }

  /** Ends the game. `said` is what screen readers are told. */
  private end(outcome: Outcome, said = resultText(outcome, this.human)): void {
    this.version++;
    this.clock?.stop();
    if (this.thinking.value || this.hinting.value) engine().drop();
    this.thinking.value = false;
    this.stalled.value = false;
    this.hint.value = null;
    this.outcome.value = outcome;
    announce(said);
    this.save();
  }

  /** Plays a move of the reader. */
  play(move: string): void {
    if (this.yourTurn) this.make(move);
  }

  private make(move: string): void {
    const side = this.desk.view.value.state.side;
    this.hint.value = null;
    if (this.hinting.value) engine().drop();
    this.desk.play(move);
    announce(spokenLast(this.desk.view.value));
    const { moves, state: after } = this.desk.view.value;
    const count = turns(moves).length;
    // In some games Black moves again after the last placing.
    const hasEnded = after.phase !== "take" || after.side !== side;
    if (this.settings.clock && hasEnded && count > this.paid) {
      this.paid = count;
      this.clock?.add(side, this.settings.clock[1] * 1000);
    }
    this.save();
    this.proceed();
  }

  /** What follows from the position: the end, the reader's turn, or a move of the engine. */
  private proceed(): void {
    const view = this.desk.view.value;
    const { state } = view;
    if (this.outcome.value) return;
    // In one text with the move: a second one would take its place before it is read.
    if (state.result) this.end(state.result, spokenLast(view, this.human));
    else {
      this.clock?.run(state.side);
      // The flag may have fallen just now.
      if (state.side !== this.human && !this.outcome.value) void this.answer();
    }
  }

  private limits(): string {
    const [white, black] = this.clock?.left.value ?? [0, 0];
    const bonus = (this.settings.clock?.[1] ?? 0) * 1000;
    return this.clock
      ? `go wtime ${Math.floor(white)} btime ${Math.floor(black)} winc ${bonus} binc ${bonus}`
      : "go movetime 1000";
  }

  private async answer(isSecond = false): Promise<void> {
    const version = ++this.version;
    this.thinking.value = true;
    const pause = new Promise((done) => setTimeout(done, PACE));
    const move = await engine().ask({
      options: [...this.desk.game.ruleOptions(), ...PLAYING, ...strength(this.settings), FORGET],
      position: this.desk.game.positionCommand(),
      go: this.limits(),
      game: this,
    });
    // The pause is for the eye and takes no time from the clock.
    if (move && version === this.version) this.clock?.pause();
    await pause;
    if (version !== this.version) return;
    this.thinking.value = false;
    if (move) this.make(move);
    // The worker has failed: the next question starts another one. A second failure is left to the reader.
    else if (!isSecond) void this.answer(true);
    else {
      this.clock?.stop();
      this.stalled.value = true;
    }
  }

  /** Starts the engine again after it has failed. */
  restart(): void {
    if (!this.stalled.value) return;
    this.stalled.value = false;
    this.proceed();
  }

  /** Takes back the reader's last turn and what followed it. */
  takeBack(): void {
    if (!this.canTakeBack) return;
    const { moves, ply } = this.desk.view.value;
    const all = turns(moves.slice(0, ply));
    const last = all.findLastIndex((turn) => turn.side === this.human);
    if (last < 0) return;
    const to = all[last - 1]?.end ?? 0;
    this.version++;
    if (this.thinking.value || this.hinting.value) engine().drop();
    this.thinking.value = false;
    this.stalled.value = false;
    this.outcome.value = null;
    this.hint.value = null;
    this.desk.goto(to);
    announce(t("say.back"));
    this.save();
    this.proceed();
  }

  /** True if there is a turn of the reader to take back. Lost time does not come back. */
  get canTakeBack(): boolean {
    if (this.outcome.value?.reason === "time") return false;
    const { moves, ply } = this.desk.view.value;
    return moves.slice(0, ply).some((move) => move.side === this.human);
  }

  /** Shows a good move for the reader. */
  async askHint(): Promise<void> {
    const version = this.version;
    const ply = this.desk.view.value.ply;
    this.hinting.value = true;
    const move = await engine().ask({
      options: [
        ...this.desk.game.ruleOptions(),
        ...PLAYING,
        "setoption name UCI_LimitStrength value false",
        "setoption name SkillLevel value 30",
      ],
      position: this.desk.game.positionCommand(),
      go: HINT,
    });
    this.hinting.value = false;
    if (!move || version !== this.version || ply !== this.desk.view.value.ply) return;
    this.hint.value = move;
    announce(t("play.hintIs", { move: spokenMove(move, this.human) }));
  }

  resign(): void {
    if (!this.outcome.value) this.end({ winner: other(this.human), reason: "resign" });
  }
}
