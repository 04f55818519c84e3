import type { GameState, Value } from "millstone-mill";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { announce } from "../parts/live";
import { t } from "../i18n";
import { Arrows, type Arrow } from "./arrows";
import { click, goals, placings, takes } from "./choice";
import { Definitions, EmptyBoard, SIZE, place } from "./drawing";
import { Men } from "./men";
import { POINTS, column, row, step } from "./points";
import { usePointer } from "./pointer";

interface Props {
  state: GameState;
  diagonals: boolean;
  /** The moves that may be played on this board now; none if it is not the reader's turn. */
  legal: readonly string[];
  arrows?: readonly Arrow[];
  /** Exact values of moves, shown on the points they lead to. */
  values?: ReadonlyMap<string, Value>;
  onMove: (move: string) => void;
}

const NONE: ReadonlyMap<string, Value> = new Map();

/** The points of the last move, and the point of a man it took. */
function lastPoints(moves: readonly string[]): { touched: string[]; taken: string[] } {
  const taken = moves.filter((move) => move.startsWith("x")).map((move) => move.slice(1));
  return { touched: moves.filter((move) => !move.startsWith("x")).flatMap((move) => move.split("-")), taken };
}

/** The best of some values for the side that moves. */
const bestOf = (values: readonly (Value | undefined)[]): Value | undefined =>
  (["win", "draw", "loss"] as const).find((value) => values.includes(value));

/** The board, for the pointer, for fingers and for the keyboard. */
export function Board({ state, diagonals, legal, arrows = [], values = NONE, onMove }: Props) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [focus, setFocus] = useState("d6");
  const points = useRef<HTMLDivElement>(null);
  const help = useId();

  const choose = (point: string) => {
    setChosen(point);
    announce(t("say.chosen", { point, targets: goals(legal, point).join(", ") }));
  };
  const press = (point: string, from = chosen) => {
    const meaning = click(legal, from, point);
    if (meaning.kind === "play") onMove(meaning.move);
    else if (meaning.kind === "choose") choose(point);
    else {
      setChosen(null);
      announce(t(meaning.kind === "drop" ? "say.dropped" : "say.impossible", { point }));
    }
  };
  const carried = useRef("");
  const pointer = usePointer(
    (point) => goals(legal, point).length > 0,
    (point) => {
      carried.current = point;
      choose(point);
    },
    (point) => press(point, carried.current),
  );

  const unchoose = () => {
    pointer.end();
    setChosen(null);
  };
  // A choice does not outlive the position it was made in.
  const now = `${state.board} ${legal.join(" ")}`;
  useEffect(unchoose, [now]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && chosen) {
      unchoose();
      announce(t("say.dropped"));
      return;
    }
    const to = step(focus, event.key);
    if (!event.key.startsWith("Arrow") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setFocus(to);
    points.current?.querySelector<HTMLElement>(`[data-point="${to}"]`)?.focus();
  };

  const { touched, taken } = lastPoints(state.lastMove);
  const mine = takes(legal);
  const targets = chosen ? goals(legal, chosen) : placings(legal);
  const inMill = new Set(state.mills.flat());
  /** The value of the move that a point stands for now: of a man, that of its best move. */
  const valueAt = (point: string): Value | undefined => {
    if (mine.includes(point)) return values.get(`x${point}`);
    if (targets.includes(point)) return values.get(chosen ? `${chosen}-${point}` : point);
    if (chosen) return undefined;
    return bestOf(goals(legal, point).map((goal) => values.get(`${point}-${goal}`)));
  };

  const describe = (point: string, man: string): string =>
    [
      point,
      t(man === "w" ? "point.w" : man === "b" ? "point.b" : man === "x" ? "point.x" : "point.empty"),
      inMill.has(point) && man !== "." && t("point.mill"),
      touched.includes(point) && t("point.last"),
      chosen === point && t("point.chosen"),
      targets.includes(point) && t("point.target"),
      mine.includes(point) && t("point.take"),
      valueAt(point) && t(`value.${valueAt(point)!}`),
    ]
      .filter(Boolean)
      .join(", ");

  return (
    <div
      class="board"
      role="group"
      aria-label={t("board.label")}
      aria-describedby={help}
      {...pointer.handlers}
    >
      <svg class="board-drawing" viewBox={`0 0 ${SIZE} ${SIZE}`} aria-hidden="true" focusable="false">
        <Definitions />
        <EmptyBoard diagonals={diagonals} />
        <g class="board-mills">
          {state.mills.map((mill) => (
            <polyline key={mill.join()} points={mill.map((point) => place(point).join(" ")).join(" ")} />
          ))}
        </g>
        <g class="board-last">
          {touched.map((point) => (
            <circle key={point} cx={place(point)[0]} cy={place(point)[1]} r="49" />
          ))}
        </g>
        <Men board={state.board} held={pointer.held} />
        <g class="board-taken">
          {taken.map((point) => (
            <path
              key={point}
              transform={`translate(${place(point).join(" ")})`}
              d="M-17-17L17 17M17-17L-17 17"
            />
          ))}
        </g>
        <g>
          {chosen && <circle class="chosen" cx={place(chosen)[0]} cy={place(chosen)[1]} r="46" />}
          {targets.map((point) => (
            <circle
              key={point}
              class={["target", chosen && "strong", valueAt(point)].filter(Boolean).join(" ")}
              cx={place(point)[0]}
              cy={place(point)[1]}
              r={chosen || valueAt(point) ? 17 : 12}
            />
          ))}
          {mine.map((point) => (
            <circle
              key={point}
              class={`takable ${valueAt(point) ?? ""}`}
              cx={place(point)[0]}
              cy={place(point)[1]}
              r="46"
            />
          ))}
        </g>
        {!chosen && values.size > 0 && (
          <g class="board-values">
            {POINTS.filter((point) => !targets.includes(point) && !mine.includes(point)).map((point) => {
              const value = valueAt(point);
              return (
                value && <circle key={point} class={value} cx={place(point)[0]} cy={place(point)[1]} r="13" />
              );
            })}
          </g>
        )}
        <Arrows arrows={arrows} />
      </svg>
      <div class="points" ref={points} onKeyDown={onKeyDown}>
        {POINTS.map((point, i) => (
          <button
            key={point}
            type="button"
            class={`point col-${column(point)} row-${row(point)}`}
            data-point={point}
            tabIndex={focus === point ? 0 : -1}
            aria-label={describe(point, state.board[i] ?? ".")}
            onFocus={() => setFocus(point)}
            onClick={(event) => {
              if (!pointer.endsCarrying(event)) press(point);
            }}
          />
        ))}
      </div>
      <p id={help} class="unseen">
        {t("board.help")}
      </p>
    </div>
  );
}
