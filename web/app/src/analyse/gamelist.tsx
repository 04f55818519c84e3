import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { number, t } from "../i18n";
import { Detail } from "../parts/detail";
import { nameOf } from "../state/desk";
import type { Found, FoundGame } from "./found";

/** Games shown at first, and added at each request. */
const PAGE = 100;
/** The most faults and notes that are shown; a broken file may have thousands. */
const MOST_FAULTS = 10;

interface Props {
  found: Found;
  /** The number of the game that was opened last. */
  chosen: number | null;
  onChoose: (game: FoundGame) => void;
}

/** The games of a file to choose from, why others of it cannot be read, and notes. */
export function GameList({ found: { games, faults, notes }, chosen, onChoose }: Props) {
  const [count, setCount] = useState(PAGE);
  const list = useRef<HTMLOListElement>(null);
  // The button that asked for more may be gone.
  useLayoutEffect(() => {
    if (count > PAGE) list.current?.children[count - PAGE]?.querySelector("button")?.focus();
  }, [count]);
  return (
    <div class="gamelist" data-testid="gamelist">
      {games.length > 1 && (
        <>
          <p class="muted small">{t("analyse.games", { n: number(games.length) })}</p>
          <ol ref={list}>
            {games.slice(0, count).map((game) => (
              <li key={game.number}>
                <button
                  type="button"
                  aria-current={game.number === chosen ? "true" : undefined}
                  onClick={() => onChoose(game)}
                >
                  <span class="muted">{game.number}</span>
                  <span>
                    {game.players.some(nameOf)
                      ? game.players.map((player) => nameOf(player) ?? "–").join(" – ")
                      : t("analyse.game", { n: game.number })}
                  </span>
                  <span class="muted small">
                    {game.result === "*" ? "" : `${game.result} · `}
                    {t("analyse.halfMoves", { n: game.plies })}
                  </span>
                </button>
              </li>
            ))}
          </ol>
          {games.length > count && (
            <button type="button" onClick={() => setCount(count + PAGE)}>
              {t("analyse.moreGames")}
            </button>
          )}
        </>
      )}
      {faults.length > 0 && (
        <div role="alert">
          {faults.slice(0, MOST_FAULTS).map(({ game, line, reason }, i) => (
            <p key={i} class="bad small" data-testid="game-fault">
              {t("analyse.badGame", { n: game, line })} <Detail text={reason} />
            </p>
          ))}
          <Rest of={faults} />
        </div>
      )}
      {notes.length > 0 && (
        <div role="status">
          {notes.slice(0, MOST_FAULTS).map((note) => (
            <p key={note} class="small" data-testid="game-note">
              {t("analyse.noted")} <span lang="en">{note}</span>
            </p>
          ))}
          <Rest of={notes} />
        </div>
      )}
    </div>
  );
}

/** The number of faults or notes that are not shown. */
const Rest = ({ of: { length } }: { of: readonly unknown[] }) =>
  length > MOST_FAULTS && <p class="small">{t("analyse.rest", { n: number(length - MOST_FAULTS) })}</p>;
