import { useState } from "preact/hooks";
import { rules } from "../engine/library";
import { t } from "../i18n";
import { Icon } from "../parts/icons";
import { announce } from "../parts/live";
import type { Desk } from "../state/desk";
import { holdsRecord, link } from "../state/share";
import { offer, textBlob, toPng } from "./save";

const PICTURE = 1200;

/** Links to the game, and files of game and board. */
export function Share({ desk }: { desk: Desk }) {
  const [copied, setCopied] = useState(false);
  const view = desk.view.value;
  const stored = desk.store();
  const address = link("analyse", stored, usualStart(view.rules));

  const copy = (text: string) =>
    void navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        announce(t("analyse.copied"));
      },
      // Without permission the field beside the button still holds the text.
      () => setCopied(false),
    );
  return (
    <div class="share">
      <label class="field">
        <span>{t("analyse.link")}</span>
        <input
          type="text"
          readOnly
          value={address}
          data-testid="link"
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <div class="actions">
        <button type="button" onClick={() => copy(address)}>
          <Icon name="link" />
          {t("analyse.copyLink")}
        </button>
        <button type="button" onClick={() => copy(view.fen)}>
          {t("analyse.copyPosition")}
        </button>
        {copied && <span class="muted">{t("analyse.copied")}</span>}
      </div>
      {stored.text && !holdsRecord(stored) && <p class="muted small">{t("analyse.linkMoves")}</p>}
      <div class="actions" role="group" aria-label={t("analyse.save")}>
        <button
          type="button"
          aria-label={t("analyse.savePgn")}
          title={t("analyse.savePgn")}
          onClick={() => offer("game.pgn", textBlob(desk.game.write("pgn"), "text/plain"))}
        >
          <Icon name="save" />
          {t("analyse.text")}
        </button>
        <button
          type="button"
          aria-label={t("analyse.saveSvg")}
          title={t("analyse.saveSvg")}
          onClick={() => offer("board.svg", textBlob(desk.game.svg(), "image/svg+xml"))}
        >
          <Icon name="save" />
          SVG
        </button>
        <button
          type="button"
          aria-label={t("analyse.savePng")}
          title={t("analyse.savePng")}
          onClick={() => void toPng(desk.game.svg(), PICTURE).then((blob) => offer("board.png", blob))}
        >
          <Icon name="save" />
          PNG
        </button>
      </div>
    </div>
  );
}

/** The start of a new game of these rules, which a link need not hold. */
function usualStart(id: string): string {
  if (id === "custom") return "";
  const game = rules().newGame(id);
  const fen = game.fen();
  game.free();
  return fen;
}
