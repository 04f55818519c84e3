import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Game } from "millstone-mill";
import type { Arrow } from "../board/arrows";
import { Board } from "../board/board";
import { language, t } from "../i18n";
import { Button } from "../parts/button";
import { focusBoard, useOnward } from "../parts/focus";
import { Earlier, LinkFault } from "../parts/linkfault";
import { Moves, Steps } from "../parts/moves";
import { NewBoard } from "../parts/newboard";
import { Player } from "../parts/player";
import { resultText } from "../parts/result";
import { stepKeys } from "../parts/stepkeys";
import { Stalled } from "../parts/stalled";
import { told } from "../parts/told";
import { TypedMove } from "../parts/typed";
import { diagonals } from "../state/boards";
import { rulesOf } from "../state/desk";
import { study } from "../state/study";
import { Analysis } from "./analysis";
import { Bar } from "./bar";
import { Graph } from "./graph";
import { LinesList } from "./lines";
import { Open } from "./open";
import { Recorded } from "./recorded";
import { Share } from "./share";

const analysis = signal<Analysis | null>(null);

/** Analysing positions and games. */
export function Analyse() {
  const desk = study();
  const work = (analysis.value ??= new Analysis(desk));
  const view = desk.view.value;

  useEffect(() => {
    work.look();
    return () => work.stop();
  }, [view, work.on.value, work.lines.value]);

  const { play, goTo, replace } = told(desk);
  const show = (game: Game) => {
    work.reset();
    replace(game);
  };
  const { panel, leave } = useOnward(".lines button");
  const playLine = (move: string, event: MouseEvent) => {
    leave(event);
    // The next list is that of the next position.
    work.stop();
    work.infos.value = [];
    play(move);
  };
  // With a mill go the takes that it earns, but not those of the other side.
  const arrows: Arrow[] = work.infos.value.flatMap(({ pv, turns }, i, { length }) =>
    pv.slice(0, pv[0]!.startsWith("x") ? 1 : turns[0]!.end).map((move) => ({
      move,
      kind: i === 0 ? "best" : "other",
      weight: 1 / (i + 1),
      ...(length > 1 && { rank: i + 1 }),
    })),
  );
  // Drawn again with the game only: the engine tells something in every frame.
  const files = useMemo(
    () => (
      <section class="side left" aria-label={t("analyse.open")}>
        <NewBoard game={desk.game} onGame={show} />
        <Open usual={rulesOf(desk.game)} onGame={show} />
        <h2>{t("analyse.share")}</h2>
        <Share desk={desk} />
      </section>
    ),
    [view, language.value],
  );
  const progress = work.progress.value;
  const judgement = work.judgement(view.fen);
  return (
    <div class="columns" onKeyDown={(event) => stepKeys(event, view.ply, view.moves.length, goTo)}>
      <section class="centre" id="board">
        <Player side="b" name={view.players[1] ?? t("side.b")} state={view.state} />
        <div class="with-bar">
          <Bar judgement={judgement} />
          <Board
            state={view.state}
            diagonals={diagonals(view.rules, desk.game)}
            legal={view.legal}
            arrows={work.on.value ? arrows : []}
            onMove={play}
          />
        </div>
        <Player side="w" name={view.players[0] ?? t("side.w")} state={view.state} />
        <Steps ply={view.ply} plies={view.moves.length} onGo={goTo} />
      </section>
      <section class="side right" ref={panel} tabIndex={-1} aria-label={t("mode.analyse")}>
        <LinkFault />
        <Earlier />
        <div class="row">
          <h2>{t("analyse.engine")}</h2>
          <label class="check">
            <input
              type="checkbox"
              checked={work.on.value}
              onChange={(event) => (work.on.value = event.currentTarget.checked)}
            />
            {t("analyse.on")}
          </label>
          <label class="inline">
            {t("analyse.lines")}
            <select
              value={work.lines.value}
              onChange={(event) => (work.lines.value = Number(event.currentTarget.value))}
            >
              {[1, 2, 3, 4, 5].map((n) => (
                <option key={n}>{n}</option>
              ))}
            </select>
          </label>
        </div>
        <p class={judgement?.exact ? "verdict exact" : "verdict"} data-testid="verdict">
          <strong>{judgement?.text ?? (view.legal.length ? "…" : "–")}</strong>{" "}
          <span class="muted small">
            {judgement && t(judgement.exact ? "analyse.exact" : "analyse.search")}
          </span>
        </p>
        {view.state.result ? (
          <p class="status over">{resultText(view.state.result)}</p>
        ) : work.stalled.value ? (
          <Stalled onRestart={() => focusBoard(() => work.restart())} />
        ) : work.on.value && view.legal.length > 0 ? (
          <LinesList
            infos={work.infos.value}
            exact={work.exact.value}
            side={view.state.side}
            onMove={playLine}
          />
        ) : (
          <p class="muted">{t(view.legal.length > 0 ? "analyse.off" : "analyse.stuck")}</p>
        )}
        <p class="muted small">{t("analyse.legend")}</p>
        <h2>{t("play.moves")}</h2>
        <Moves moves={view.moves} ply={view.ply} onGo={goTo} />
        <Recorded view={view} />
        <TypedMove legal={view.legal} onMove={play} />
        <h2>{t("analyse.graph")}</h2>
        <Graph
          view={view}
          start={desk.at(0, (game) => game.fen())}
          judgementOf={(fen) => work.judgement(fen)}
          onGo={goTo}
        />
        <div class="actions">
          {progress && (
            <>
              <progress value={progress[0]} max={progress[1]} aria-label={t("analyse.whole")} />
              <span class="muted small">{t("analyse.progress", { n: progress[0], all: progress[1] })}</span>
            </>
          )}
          <Button
            key="whole"
            class={progress ? "" : "wide"}
            off={view.moves.length === 0}
            onClick={() => (progress ? work.look() : void work.whole())}
          >
            {t(progress ? "analyse.stop" : "analyse.whole")}
          </Button>
        </div>
        <p class="muted small">{t("analyse.graphHint")}</p>
      </section>
      {files}
    </div>
  );
}
