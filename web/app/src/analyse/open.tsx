import { useRef, useState } from "preact/hooks";
import type { Game } from "millstone-mill";
import { rules } from "../engine/library";
import { number, t } from "../i18n";
import { Icon } from "../parts/icons";

/** The largest file or text that is read. A game has a few kilobytes. */
const MOST = 1_000_000;
/** A longer text is read at once: browsers take seconds to show it in a field. */
const MOST_SHOWN = 20_000;

/** A field for a position or a game, and a button for a file. Everything read is data, never part of the page. */
export function Open({ usual, onGame }: { usual: string; onGame: (game: Game) => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState<{ text: string; bad: boolean } | null>(null);
  const input = useRef<HTMLInputElement>(null);

  const load = (source: string, name?: string) => {
    try {
      onGame(rules().readGame(source, usual));
      setNote(name === undefined ? null : { text: t("analyse.opened", { name }), bad: false });
      setText("");
    } catch (error) {
      setNote({ text: t("analyse.bad", { reason: error instanceof Error ? error.message : String(error) }), bad: true });
    }
  };
  const isTooLarge = (size: number): boolean => {
    const values = { size: number(Math.ceil(size / 1000)), most: number(MOST / 1000) };
    if (size > MOST) setNote({ text: t("analyse.tooLarge", values), bad: true });
    return size > MOST;
  };
  const open = async (file: File | undefined) => {
    if (file && !isTooLarge(file.size)) load(await file.text(), file.name);
  };
  /** Reads a long text in place of the field. Returns false if the field may show it. */
  const take = (long: string): boolean => {
    if (long.length <= MOST_SHOWN) return false;
    setText("");
    if (!isTooLarge(long.length)) load(long);
    return true;
  };
  return (
    <form
      class="open"
      onSubmit={(event) => {
        event.preventDefault();
        load(text);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const file = event.dataTransfer?.files[0];
        if (!file) return;
        event.preventDefault();
        void open(file);
      }}
    >
      <label class="field">
        <span>{t("analyse.paste")}</span>
        <textarea
          rows={4}
          value={text}
          placeholder={t("analyse.pasteHint")}
          spellcheck={false}
          onPaste={(event) => {
            if (take(event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
          }}
          onInput={(event) => {
            const field = event.currentTarget;
            if (take(field.value)) field.value = "";
            else setText(field.value);
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" disabled={text.trim() === ""}>
          {t("analyse.load")}
        </button>
        <button type="button" onClick={() => input.current?.click()}>
          <Icon name="folder" />
          {t("analyse.file")}
        </button>
        <input
          ref={input}
          class="unseen"
          type="file"
          tabIndex={-1}
          aria-label={t("analyse.file")}
          accept=".pgn,.txt,.fen,text/plain"
          onChange={(event) => {
            void open(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
      {note && (
        <p class={note.bad ? "bad" : "muted"} role={note.bad ? "alert" : "status"} data-testid="open-note">
          {note.text}
        </p>
      )}
    </form>
  );
}
