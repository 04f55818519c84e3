import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Value } from "millstone-mill";
import type { Arrow } from "../board/arrows";
import { Board } from "../board/board";
import { t } from "../i18n";
import { useOnward } from "../parts/focus";
import { Earlier, LinkFault } from "../parts/linkfault";
import { Moves, Steps } from "../parts/moves";
import { NewBoard } from "../parts/newboard";
import { Player } from "../parts/player";
import { stepKeys } from "../parts/stepkeys";
import { told } from "../parts/told";
import { TypedMove } from "../parts/typed";
import { Open } from "../analyse/open";
import { diagonals } from "../state/boards";
import { rulesOf } from "../state/desk";
import { study } from "../state/study";
import { LOOKING, answer, lookUpAll, type Answer } from "./answer";
import { Sector } from "./sector";
import { Source } from "./sourceform";
import { Symmetries } from "./symmetries";
import { Verdict } from "./verdict";

/** Exact values of the solved game. */
export function Explore() {
  const desk = study();
  const view = desk.view.value;
  const [pointed, setPointed] = useState<string | null>(null);
  const over = view.state.result !== null;
  const isTaking = view.state.phase === "take";

  useLayoutEffect(lookUpAll, []);
  useLayoutEffect(() => setPointed(null), [view.fen]);

  const { play, goTo, replace } = told(desk);
  const { panel, leave } = useOnward(".probe-move");
  // Values of the position before are never shown beside this one.
  const now = answer.value.fen === view.fen ? answer.value.about : LOOKING;
  // Drawn again with the position only, not with the answer or a move that is pointed at.
  const shown = useLater(view);
  // Until they are drawn again, they are boards of the game before: what is turned is the game that is shown.
  const turn = (symmetry: number) => replace(desk.game.symmetry(symmetry));
  const symmetries = useMemo(() => <Symmetries game={desk.game} onTurn={turn} />, [shown]);
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
      <section
        class="side right"
        ref={panel}
        tabIndex={-1}
        aria-label={t("mode.explore")}
        aria-busy={now.kind === "looking" && !over}
        data-fen={view.fen}
      >
        <LinkFault />
        <Earlier />
        {over ? (
          <p class="status over">{t("explore.over")}</p>
        ) : (
          <Verdict
            answer={now}
            side={view.state.side}
            onMove={(move, event) => {
              leave(event);
              play(move);
            }}
            onPoint={setPointed}
          />
        )}
        <TypedMove legal={view.legal} onMove={play} />
      </section>
      <section class="side left" aria-label={t("explore.source")}>
        <Source />
        {now.kind === "probe" && !over && (now.probe.sector || isTaking) && (
          <>
            <h2>{t("explore.sector")}</h2>
            {isTaking && (
              <p class="muted small" data-testid="pending">
                {t("explore.pending")}
              </p>
            )}
            {now.probe.sector && <Sector sector={now.probe.sector} />}
          </>
        )}
        <h2>{t("explore.symmetries")}</h2>
        <p class="muted small">{t("explore.symmetriesHint")}</p>
        {symmetries}
        <h2>{t("play.moves")}</h2>
        <Moves moves={view.moves} ply={view.ply} onGo={goTo} />
        <details class="fold">
          <summary>{t("analyse.open")}</summary>
          <NewBoard game={desk.game} onGame={replace} />
          <Open usual={rulesOf(desk.game)} onGame={replace} />
        </details>
      </section>
    </div>
  );
}

/** Milliseconds after which what is not urgent is drawn: most answers are there by then. */
const LATER = 200;

/** Returns a value some time after it has changed. */
function useLater<T>(value: T): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const clock = setTimeout(() => setLate(value), LATER);
    return () => clearTimeout(clock);
  }, [value]);
  return late;
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
