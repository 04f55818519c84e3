import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Side } from "millstone-mill";
import type { Arrow } from "../board/arrows";
import { Board } from "../board/board";
import { takesOwn } from "../board/choice";
import { closedMill } from "../board/spoken";
import { awaited, rules } from "../engine/library";
import { t } from "../i18n";
import { Button } from "../parts/button";
import { focusBoard } from "../parts/focus";
import { Icon } from "../parts/icons";
import { LinkFault } from "../parts/linkfault";
import { announce } from "../parts/live";
import { Moves } from "../parts/moves";
import { Player } from "../parts/player";
import { resultText, rulesName } from "../parts/result";
import { told } from "../parts/told";
import { TypedMove } from "../parts/typed";
import { Stalled } from "../parts/stalled";
import { diagonals } from "../state/boards";
import { restore } from "../state/desk";
import { linkFault } from "../state/linked";
import { go, mode } from "../state/route";
import { isSettings, DEFAULTS, type Settings } from "./settings";
import { clockText } from "./clock";
import { Match } from "./match";
import { Setup } from "./setup";
import { study } from "../state/study";
import { onStored, read, write } from "../state/storage";

/** The game on the board. It outlives visits to the other parts of the page. */
const match = signal<Match | null>(null);

// Another tab has gone on with the game. It is shown here too, and runs here once the reader is at this tab.
onStored("play", () => {
  // One that another version of the page has stored may be unreadable.
  const resumed = match.value && Match.resume();
  if (!resumed) return;
  match.value?.stop();
  match.value = resumed;
  // The reader may be here already: then no sign that starts it will come.
  if (document.hasFocus() && mode.value === "play") resumed.start();
});

/** What tells that the reader is at this tab. */
const SIGNS = ["focus", "pointerdown", "keydown"] as const;

const settings = (): Settings => match.value?.settings ?? read("settings", isSettings) ?? DEFAULTS;

function begin(chosen: Settings): void {
  write("settings", chosen);
  match.value?.leave();
  match.value = Match.begin(chosen);
  announce(t("say.start"));
  match.value.start();
}

/** Playing against the engine. */
export function Play() {
  useEffect(() => {
    match.value ??= Match.resume() ?? Match.begin(settings());
    match.value.start();
    const goOn = () => match.value?.start();
    for (const sign of SIGNS) addEventListener(sign, goOn, true);
    return () => {
      for (const sign of SIGNS) removeEventListener(sign, goOn, true);
      match.value?.leave();
    };
  }, []);
  const setup = useRef<HTMLDetailsElement>(null);
  const game = match.value;
  if (!game) return null;
  const play = (move: string) => {
    linkFault.value = null;
    game.play(move);
  };
  const showSetup = () => {
    if (!setup.current) return;
    setup.current.open = true;
    setup.current.scrollIntoView({ block: "start" });
    setup.current.querySelector("select")?.focus({ preventScroll: true });
  };

  const view = game.desk.view.value;
  const other: Side = game.human === "w" ? "b" : "w";
  const arrows: Arrow[] = game.hint.value ? [{ move: game.hint.value, kind: "hint" }] : [];
  const legal = game.yourTurn ? view.legal : [];
  const info = rules()
    .ruleSets()
    .find((set) => set.id === game.settings.rules);
  const player = (side: Side) => (
    <Player
      side={side}
      name={t(side === game.human ? "side.you" : "side.engine")}
      state={view.state}
      clock={game.clock && clockText(game.clock.left.value[side === "w" ? 0 : 1])}
      low={game.clock !== null && game.clock.left.value[side === "w" ? 0 : 1] < 20_000}
      over={game.outcome.value !== null}
    />
  );
  return (
    <div class="columns">
      <section class="centre" id="board">
        {player(other)}
        <Board
          state={view.state}
          diagonals={diagonals(view.rules)}
          legal={legal}
          arrows={arrows}
          onMove={play}
        />
        {player(game.human)}
      </section>
      <section class="side right" aria-label={t("play.options")}>
        <LinkFault />
        <Status game={game} />
        <Actions game={game} />
        <button type="button" class="wide narrow" onClick={showSetup}>
          <Icon name="plus" />
          {t("play.newOne")}
        </button>
        <TypedMove legal={legal} onMove={play} />
        <h2>{t("play.moves")}</h2>
        <Moves moves={view.moves.slice(0, view.ply)} ply={view.ply} />
        <Button class="wide" off={view.ply === 0} onClick={() => analyseThis(game)}>
          <Icon name="search" />
          {t("play.analyse")}
        </Button>
      </section>
      <details class="side left" ref={setup} open={matchMedia("(min-width: 44rem)").matches}>
        <summary>
          <h2>{t("play.new")}</h2>
          <span class="muted small">{rulesName(game.settings.rules, info?.name ?? game.settings.rules)}</span>
        </summary>
        <Setup
          settings={settings()}
          onStart={(chosen) => {
            begin(chosen);
            // Where the settings lie below the board, the new game is out of sight.
            document.getElementById("board")?.scrollIntoView({ block: "nearest" });
          }}
        />
      </details>
    </div>
  );
}

function analyseThis(game: Match): void {
  const copy = restore(rules(), game.played);
  const outcome = game.outcome.value;
  for (const [side, tag] of [
    ["w", "White"],
    ["b", "Black"],
  ] as const)
    copy.setTag(tag, t(side === game.human ? "side.you" : "side.engine"));
  if (outcome) copy.setResult(outcome.winner === "w" ? "1-0" : outcome.winner === "b" ? "0-1" : "1/2-1/2");
  told(study()).replace(copy);
  go("analyse");
  // On the new board, which is drawn before.
  setTimeout(focusBoard);
}

/** Whose turn it is, or how the game ended. */
function Status({ game }: { game: Match }) {
  const view = game.desk.view.value;
  const { state } = view;
  const outcome = game.outcome.value;
  const file = game.thinking.value || game.hinting.value ? awaited.value : null;
  const waiting = file && t(file === "network" ? "turn.waitingNetwork" : "turn.waiting");
  useEffect(() => {
    if (waiting) announce(waiting);
  }, [waiting]);
  if (outcome)
    return (
      <p
        class={`status over ${!outcome.winner ? "draw" : outcome.winner === game.human ? "won" : "lost"}`}
        data-testid="status"
      >
        {resultText(outcome, game.human)}
      </p>
    );
  if (game.stalled.value) return <Stalled onRestart={() => focusBoard(() => game.restart())} />;
  // In El Filja a side may have to take after a mill of the other.
  const isMill = closedMill(view) && view.moves[view.ply - 1]?.side === game.human;
  const takes = takesOwn(view.legal, state) ? "turn.yourTakeOwn" : "turn.yourTakeOnly";
  const phases = {
    place: view.legal.some((move) => move.includes("-")) ? "turn.yourPlaceOrMove" : "turn.yourPlace",
    move: "turn.yourMove",
    fly: "turn.yourFly",
    take: isMill ? "turn.yourTake" : takes,
  } as const;
  const phase = state.phase === "over" ? "move" : state.phase;
  return (
    <p class={`status ${phase === "take" ? "take" : ""}`} data-testid="status">
      {waiting ??
        (game.yourTurn
          ? t(phases[phase], { n: state.takes[game.human === "w" ? 0 : 1] })
          : t("turn.thinking"))}
    </p>
  );
}

function Actions({ game }: { game: Match }) {
  // The game that the question is about: it does not go on to the next one.
  const [sure, setSure] = useState<Match | null>(null);
  const box = useRef<HTMLDivElement>(null);
  /** The button that has the focus next: that of the answer to the question, or the one that asked it. */
  const next = useRef<".no" | ".end" | null>(null);
  useLayoutEffect(() => {
    if (next.current) box.current?.querySelector<HTMLElement>(next.current)?.focus();
    next.current = null;
  });
  const ask = (about: Match | null) => {
    next.current = about ? ".no" : ".end";
    setSure(about);
  };
  if (sure === game && !game.outcome.value)
    return (
      <div class="actions" ref={box} role="group" aria-label={t("play.resignSure")}>
        <p>{t("play.resignSure")}</p>
        <button
          type="button"
          class="danger"
          onClick={() => {
            ask(null);
            game.resign();
          }}
        >
          {t("play.resign")}
        </button>
        <button type="button" class="no" onClick={() => ask(null)}>
          {t("play.no")}
        </button>
      </div>
    );
  const takeBack = () => {
    setSure(null);
    game.takeBack();
  };
  return (
    <div class="actions" ref={box}>
      <Button off={!game.canTakeBack} onClick={takeBack}>
        <Icon name="undo" />
        {t("play.back")}
      </Button>
      <Button off={!game.yourTurn || game.hinting.value} onClick={() => void game.askHint()}>
        <Icon name="hint" />
        {t(game.hinting.value ? "play.hinting" : "play.hint")}
      </Button>
      {game.outcome.value ? (
        <button type="button" class="primary end" onClick={() => focusBoard(() => begin(game.settings))}>
          <Icon name="plus" />
          {t("play.again")}
        </button>
      ) : (
        <button type="button" class="end" onClick={() => ask(game)}>
          <Icon name="flag" />
          {t("play.resign")}
        </button>
      )}
    </div>
  );
}
