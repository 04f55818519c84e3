import type { Game } from "millstone-mill";
import { Mini } from "../board/mini";
import { t } from "../i18n";

/** The sixteen positions that are the same but for a turn, a mirror or an exchange of rings. */
export function Symmetries({ game, onGame }: { game: Game; onGame: (game: Game) => void }) {
  return (
    <div class="symmetries" role="group" aria-label={t("explore.symmetries")}>
      {Array.from({ length: 16 }, (_, n) => {
        const image = game.symmetry(n);
        const { board } = image.state();
        image.free();
        return (
          <button
            key={n}
            type="button"
            aria-label={t("explore.symmetry", { n: n + 1 })}
            onClick={() => onGame(game.symmetry(n))}
          >
            <Mini board={board} />
          </button>
        );
      })}
    </div>
  );
}
