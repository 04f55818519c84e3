import { signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Probe, Value } from "millstone-mill";
import type { Arrow } from "../board/arrows";
import { Board } from "../board/board";
import { spokenLast } from "../board/spoken";
import { number, t } from "../i18n";
import { faultOf, type Fault } from "../parts/fault";
import { announce } from "../parts/live";
import { Moves, Steps } from "../parts/moves";
import { NewBoard } from "../parts/newboard";
import { Player } from "../parts/player";
import { stepKeys } from "../parts/stepkeys";
import { TypedMove } from "../parts/typed";
import { valueText } from "../parts/value";
import { Open } from "../analyse/open";
import { diagonals } from "../state/boards";
import { linkFault } from "../state/linked";
import { study } from "../state/study";
import { Sector } from "./sector";
import { folder, tablebase } from "./source";
import { Source } from "./sourceform";
import { Symmetries } from "./symmetries";
import { MoveTable } from "./table";

/** What the tablebase says about a position. */
type Answer = { kind: "looking" } | { kind: "probe"; probe: Probe } | { kind: "fault"; fault: Fault };

const LOOKING: Answer = { kind: "looking" };

/** The latest answer, and the position it is about. */
const answer = signal<{ fen: string; about: Answer }>({ fen: "", about: LOOKING });
let asked = 0;

/** Looks the shown position up, at any cost if `whole`. Only the answer to the latest question counts. */
async function lookUp(whole = false): Promise<void> {
  const question = ++asked;
  const copy = study().game.clone();
  const fen = copy.fen();
  answer.value = { fen, about: LOOKING };
  let found: Answer;
  try {
    found = { kind: "probe", probe: await (await tablebase()).probe(copy, { whole }) };
  } catch (error) {
    found = { kind: "fault", fault: faultOf(error) };
  } finally {
    copy.free();
  }
  if (question === asked) answer.value = { fen, about: found };
}

/** Exact values of the solved game. */
export function Explore() {
  const desk = study();
  const view = desk.view.value;
  const [pointed, setPointed] = useState<string | null>(null);
  const over = view.state.result !== null;

  // Not after the next frame, so that the host works while the board is drawn.
  useLayoutEffect(() => {
    setPointed(null);
    if (!over) void lookUp();
    return () => void asked++;
  }, [view.fen, view.rules, folder.value, over]);

  const play = (move: string) => {
    desk.play(move);
    announce(spokenLast(desk.view.value));
  };
  const goTo = (ply: number) => {
    desk.goto(ply);
    announce(`${t("say.position", { ply, plies: view.moves.length })} ${spokenLast(desk.view.value)}`);
  };
  // Values of the position before are never shown beside this one.
  const now = answer.value.fen === view.fen ? answer.value.about : LOOKING;
  const arrows: Arrow[] = pointed ? [{ move: pointed, kind: kindOf(now, pointed) }] : [];
  return (
    <div class="columns" onKeyDown={(event) => stepKeys(event, view.ply, view.moves.length, goTo)}>
      <section class="centre" id="board">
        <Player side="b" name={t("side.b")} state={view.state} />
        <Board
          state={view.state}
          diagonals={diagonals(view.rules, desk.game)}
          legal={view.legal}
          arrows={arrows}
          values={valuesOf(now)}
          onMove={play}
        />
        <Player side="w" name={t("side.w")} state={view.state} />
        <Steps ply={view.ply} plies={view.moves.length} onGo={goTo} />
      </section>
      <section class="side right" aria-label={t("mode.explore")} aria-busy={now.kind === "looking" && !over} data-fen={view.fen}>
        {linkFault.value && (
          <p class="bad" role="alert">
            {t("analyse.badLink", { reason: linkFault.value })}
          </p>
        )}
        {over ? (
          <p class="status over">{t("explore.over")}</p>
        ) : (
          <Verdict answer={now} side={view.state.side} onMove={play} onPoint={setPointed} />
        )}
        <TypedMove legal={view.legal} onMove={play} />
      </section>
      <section class="side left" aria-label={t("explore.source")}>
        <Source />
        {now.kind === "probe" && !over && now.probe.sector && (
          <>
            <h2>{t("explore.sector")}</h2>
            <Sector sector={now.probe.sector} />
          </>
        )}
        <h2>{t("explore.symmetries")}</h2>
        <p class="muted small">{t("explore.symmetriesHint")}</p>
        <Symmetries game={desk.game} onGame={(game) => desk.replace(game)} />
        <h2>{t("play.moves")}</h2>
        <Moves moves={view.moves} ply={view.ply} onGo={goTo} />
        <details class="fold">
          <summary>{t("analyse.open")}</summary>
          <NewBoard rules={view.rules} onGame={(game) => desk.replace(game)} />
          <Open usual={view.rules === "custom" ? "nine" : view.rules} onGame={(game) => desk.replace(game)} />
        </details>
      </section>
    </div>
  );
}

/** The values of the moves that have one. */
function valuesOf(now: Answer): ReadonlyMap<string, Value> {
  if (now.kind !== "probe") return new Map();
  return new Map(now.probe.moves.flatMap(({ move, value }) => (value ? [[move, value] as const] : [])));
}

function kindOf(now: Answer, move: string): string {
  const value = now.kind === "probe" ? now.probe.moves.find((probed) => probed.move === move)?.value : null;
  return value ?? "other";
}

interface VerdictProps {
  answer: Answer;
  side: "w" | "b";
  onMove: (move: string) => void;
  onPoint: (move: string | null) => void;
}

/** The value of the position and of every move, or the reason why there is none. */
function Verdict({ answer: now, side, onMove, onPoint }: VerdictProps) {
  if (now.kind === "looking") return <p class="status">{t("explore.looking")}</p>;
  if (now.kind === "fault")
    return (
      <div class="status fault" role="alert" data-testid="fault">
        <p>{t("explore.missing", { reason: now.fault.text })}</p>
        {now.fault.detail && <p class="small">{t("explore.detail", { reason: now.fault.detail })}</p>}
        <button type="button" onClick={() => void lookUp()}>
          {t("explore.retry")}
        </button>
      </div>
    );
  const { probe } = now;
  const kilobytes = (bytes: number) => number(bytes / 1000, bytes < 10_000 ? 1 : 0);
  return (
    <>
      <p class={`status value ${probe.value ?? "unknown"}`} data-testid="value">
        {t("explore.verdict", { side: t(`side.${side}`), value: valueText(probe.value, probe.plies) })}
      </p>
      {probe.value === null && probe.isWhole && (
        <p class="bad small" data-testid="unknown">
          {t("fault.no-value")} {folder.value === null && t("explore.limits")}
        </p>
      )}
      <p class="muted small">{t("explore.hint")}</p>
      <MoveTable moves={probe.moves} onMove={onMove} onPoint={onPoint} />
      {probe.notes.map((note) => (
        <p key={note} class="bad small" data-testid="note">
          {note}
        </p>
      ))}
      {!probe.isWhole && (
        <p class="small" data-testid="partial">
          {t("explore.partial")}{" "}
          <button type="button" onClick={() => void lookUp(true)}>
            {t("explore.rest")}
          </button>
        </p>
      )}
      <p class="muted small" data-testid="cost" data-requests={probe.cost.requests} data-bytes={probe.cost.bytes}>
        {t("explore.cost", { requests: number(probe.cost.requests), kilobytes: kilobytes(probe.cost.bytes) })}
        {probe.cost.cached > 0 && ` · ${t("explore.costCached", { kilobytes: kilobytes(probe.cost.cached) })}`}
      </p>
    </>
  );
}
