import type { Engine } from "millstone-mill";
import { parseInfo, type Info } from "./info";

/** One question to the engine. */
export interface Question {
  /** `setoption` lines. */
  options: readonly string[];
  /** A `position` line. */
  position: string;
  /** A `go` line. */
  go: string;
  /** The game that the engine plays. Before the first question about it the engine forgets all others. */
  game?: object;
  onInfo?: (info: Info) => void;
}

interface Running {
  question: Question;
  /** Called with the best move, or with null if the answer is no longer wanted. */
  answer: (move: string | null) => void;
  dropped: boolean;
}

/** Asks an engine one question after the other. Each `go` has one `bestmove`, in the same order. */
export class Talk {
  private readonly running: Running[] = [];
  /** The options that were sent last. */
  private sent = "";
  /** The game that the engine played last. */
  private game: object | null = null;

  constructor(private readonly engine: Engine) {
    engine.onLine((line) => this.hear(line));
    engine.send("uci");
  }

  private hear(line: string): void {
    const first = this.running[0];
    if (!first) return;
    if (line.startsWith("bestmove")) {
      this.running.shift();
      const move = line.split(" ")[1] ?? "(none)";
      first.answer(first.dropped || move === "(none)" ? null : move);
    } else if (!first.dropped && first.question.onInfo) {
      const info = parseInfo(line);
      if (info) first.question.onInfo(info);
    }
  }

  /** Ends the search. Its answer will be null. */
  drop(): void {
    const last = this.running.at(-1);
    if (!last || last.dropped) return;
    last.dropped = true;
    this.engine.send("stop");
  }

  /** Gives up every question, because the engine is gone. */
  end(): void {
    for (const { answer } of this.running.splice(0)) answer(null);
  }

  /** Drops the question before and asks this one. Returns the best move, or null. */
  ask(question: Question): Promise<string | null> {
    this.drop();
    const options = question.options.join("\n");
    if (this.sent !== options) {
      this.sent = options;
      for (const line of question.options) this.engine.send(line);
    }
    if (question.game && question.game !== this.game) {
      this.game = question.game;
      this.engine.send("ucinewgame");
    }
    this.engine.send(question.position);
    this.engine.send(question.go);
    return new Promise((answer) => this.running.push({ question, answer, dropped: false }));
  }
}
