import type { Game } from "millstone-mill";
import { rules } from "../engine/library";
import { t } from "../i18n";
import { rulesOf } from "../state/desk";
import { rulesName } from "./result";

/** Starts an empty board of a chosen game. */
export function NewBoard({ game, onGame }: { game: Game; onGame: (game: Game) => void }) {
  const sets = rules().ruleSets();
  const current = game.rules;
  return (
    <div class="newboard">
      <label class="field">
        <span>{t("play.rules")}</span>
        <select value={current} onChange={(event) => onGame(rules().newGame(event.currentTarget.value))}>
          {!sets.some((set) => set.id === current) && (
            <option value={current}>{rulesName(current, current)}</option>
          )}
          {sets.map(({ id, name }) => (
            <option key={id} value={id}>
              {rulesName(id, name)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => onGame(rules().newGame(rulesOf(game)))}>
        {t("analyse.fresh")}
      </button>
    </div>
  );
}
