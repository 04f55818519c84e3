import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import type { RecordedMove } from "millstone-mill";
import { Button } from "./button";
import { Icon, type IconName } from "./icons";

/** A turn: its text as records write it, and the number of moves up to its end. */
export interface Turn {
  text: string;
  side: "w" | "b";
  end: number;
}

/** Joins the moves of a record to turns: a placing, slide or flight with its takes. */
export function turns(moves: readonly RecordedMove[]): Turn[] {
  const list: Turn[] = [];
  moves.forEach(({ text, side }, i) => {
    const last = list.at(-1);
    if (last && text.startsWith("x") && last.side === side) {
      last.text += text;
      last.end = i + 1;
    } else list.push({ text, side, end: i + 1 });
  });
  return list;
}

/** Puts turns in numbered rows; a row begins with a turn of White. */
function rows(list: readonly Turn[]): { white: Turn | null; black: Turn | null }[] {
  const result: { white: Turn | null; black: Turn | null }[] = [];
  for (const turn of list) {
    const last = result.at(-1);
    if (turn.side === "w") result.push({ white: turn, black: null });
    else if (last && !last.black) last.black = turn;
    else result.push({ white: null, black: turn });
  }
  return result;
}

interface Props {
  moves: readonly RecordedMove[];
  ply: number;
  /** Without it the list is for reading only. */
  onGo?: (ply: number) => void;
}

/** The moves of a game as a list of numbered turns. */
export function Moves({ moves, ply, onGo }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const mark = list.current?.querySelector<HTMLElement>(".now");
    // Scrolls the list alone: the page must not jump while somebody reads elsewhere.
    if (mark && list.current) list.current.scrollTop = mark.offsetTop - list.current.clientHeight / 2;
  }, [ply, moves.length]);

  const all = turns(moves);
  const current = all.find((turn) => turn.end >= ply && ply > 0);
  const cell = (turn: Turn | null) => {
    if (!turn) return <span class="turn-text muted">…</span>;
    const now = turn === current;
    const look = now ? "turn-text now" : "turn-text";
    if (!onGo) return <span class={look}>{turn.text}</span>;
    return (
      <button
        type="button"
        class={look}
        aria-current={now ? "step" : undefined}
        onClick={() => onGo(turn.end)}
      >
        {turn.text}
      </button>
    );
  };
  if (all.length === 0) return <p class="muted">{t("play.noMoves")}</p>;
  return (
    <ol class="moves" ref={list} aria-label={t("moves.label")} tabIndex={0}>
      {rows(all).map(({ white, black }, i) => (
        <li key={i}>
          <span class="move-number" aria-hidden="true">
            {i + 1}
          </span>
          {cell(white)}
          {black && cell(black)}
        </li>
      ))}
    </ol>
  );
}

/** The buttons that go through a game. */
export function Steps({ ply, plies, onGo }: { ply: number; plies: number; onGo: (ply: number) => void }) {
  const steps: [IconName, "moves.first" | "moves.back" | "moves.next" | "moves.last", number][] = [
    ["first", "moves.first", 0],
    ["back", "moves.back", ply - 1],
    ["next", "moves.next", ply + 1],
    ["last", "moves.last", plies],
  ];
  return (
    <div class="steps">
      {steps.map(([icon, key, to]) => (
        <Button
          key={key}
          aria-label={t(key)}
          title={t(key)}
          off={to < 0 || to > plies || to === ply}
          onClick={() => onGo(to)}
        >
          <Icon name={icon} />
        </Button>
      ))}
    </div>
  );
}
