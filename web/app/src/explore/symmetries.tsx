import type { Game } from "millstone-mill";
import { Mini } from "../board/mini";
import { t } from "../i18n";
import { diagonals } from "../state/boards";

/** The boards of the sixteen images; none of a game that has no images, as one from a start with used mills. */
function boardsOf(game: Game): string[] {
  try {
    return Array.from({ length: 16 }, (_, n) => {
      const image = game.symmetry(n);
      const { board } = image.state();
      image.free();
      return board;
    });
  } catch {
    return [];
  }
}

/** The sixteen positions that are the same but for a turn, a mirror or an exchange of rings. */
export function Symmetries({ game, onTurn }: { game: Game; onTurn: (symmetry: number) => void }) {
  const hasDiagonals = diagonals(game.rules, game);
  return (
    <>
      {game.hasMore() && <p class="muted small">{t("explore.symmetriesLoss")}</p>}
      <div class="symmetries" role="group" aria-label={t("explore.symmetries")}>
        {boardsOf(game).map((board, n) => (
          <button
            key={n}
            type="button"
            aria-label={t("explore.symmetry", { n: n + 1 })}
            // The first is the game as it stands: to replace it would only lose its comments.
            onClick={() => n > 0 && onTurn(n)}
          >
            <Mini board={board} diagonals={hasDiagonals} />
          </button>
        ))}
      </div>
    </>
  );
}
