import type { GameState, Side } from "millstone-mill";
import { t } from "../i18n";
import { Disc } from "../board/drawing";

interface Props {
  side: Side;
  name: string;
  state: GameState;
  clock?: string | null;
  low?: boolean;
  /** True if the game has ended, also where the position does not tell, as by resignation. */
  over?: boolean;
}

/** A side beside the board: name, men in hand, clock. */
export function Player({ side, name, state, clock = null, low = false, over = false }: Props) {
  const hand = state.hands[side === "w" ? 0 : 1];
  const men = [...state.board].filter((man) => man === side).length;
  const turn = state.side === side && !state.result && !over;
  return (
    <div class={turn ? "player turn" : "player"} data-side={side}>
      <svg class="player-man" viewBox="-44 -44 88 92" aria-hidden="true">
        <Disc side={side} />
      </svg>
      <p class="player-name">
        <strong>{name}</strong>
        <span class="muted">
          {t("men.count", { n: men })}
          {hand > 0 && `, ${t("hand.count", { n: hand })}`}
        </span>
      </p>
      <svg class="hand" viewBox={`0 -48 ${50 * hand + 54} 104`} aria-hidden="true">
        {Array.from({ length: hand }, (_, i) => (
          <g key={i} transform={`translate(${50 + 50 * i} 0)`}>
            <Disc side={side} />
          </g>
        ))}
      </svg>
      {clock !== null && (
        <span class={low ? "clock low" : "clock"} role="timer" data-testid={`clock-${side}`}>
          {clock}
        </span>
      )}
    </div>
  );
}
