import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../parts/icons";
import { announce } from "../parts/live";
import type { Desk } from "../state/desk";
import { holdsRecord, link } from "../state/share";
import { offer, textBlob, toPng } from "./save";

const PICTURE = 1200;

/** Links to the game, and files of game and board. */
export function Share({ desk }: { desk: Desk }) {
  const [copied, setCopied] = useState("");
  /** A text that could not be copied, for the reader to do it. */
  const [failed, setFailed] = useState<{ text: string } | null>(null);
  const [lacksPicture, setLacksPicture] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [failed]);
  const view = desk.view.value;
  const stored = desk.store();
  const address = link("analyse", stored);

  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
      setFailed(null);
      announce(t("analyse.copied"));
    } catch {
      // Without permission, and on a page from http://, where there is no clipboard at all.
      setCopied("");
      setFailed({ text });
    }
  };
  const savePicture = async () => {
    try {
      offer("board.png", await toPng(desk.game.svg(), PICTURE));
      setLacksPicture(false);
    } catch {
      setLacksPicture(true);
    }
  };
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
        <button type="button" onClick={() => void copy(address)}>
          <Icon name="link" />
          {t("analyse.copyLink")}
        </button>
        <button type="button" onClick={() => void copy(view.fen)}>
          {t("analyse.copyPosition")}
        </button>
        {[address, view.fen].includes(copied) && <span class="muted">{t("analyse.copied")}</span>}
      </div>
      {failed && [address, view.fen].includes(failed.text) && (
        <label class="field">
          <span>{t("analyse.copyFailed")}</span>
          <input ref={field} type="text" readOnly value={failed.text} data-testid="to-copy" />
        </label>
      )}
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
          onClick={() => void savePicture()}
        >
          <Icon name="save" />
          PNG
        </button>
      </div>
      {lacksPicture && (
        <p class="bad small" role="alert" data-testid="no-picture">
          {t("analyse.pngFailed")}
        </p>
      )}
    </div>
  );
}
