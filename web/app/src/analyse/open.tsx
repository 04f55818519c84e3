import { useRef, useState } from "preact/hooks";
import type { Game } from "millstone-mill";
import { number, t } from "../i18n";
import { faultOf } from "../parts/fault";
import { Icon } from "../parts/icons";
import { findHere, findInWorker, isLong, type Found } from "./found";
import { GameList } from "./gamelist";

/** The largest file or text that is read. A game has a few kilobytes. */
const MOST = 1_000_000;
/** A longer text is read at once: browsers take seconds to show it in a field. */
const MOST_SHOWN = 20_000;

/** A field for a position or a game, and a button for a file. Everything read is data, never part of the page. */
export function Open({ usual, onGame }: { usual: string; onGame: (game: Game) => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState<{ text: string; detail?: string; bad: boolean } | null>(null);
  const [list, setList] = useState<{ found: Found; chosen: number | null } | null>(null);
  /** Grows with every text; an answer about an older one is no longer wanted. */
  const asked = useRef(0);
  const input = useRef<HTMLInputElement>(null);

  const show = (found: Found, name?: string) => {
    const [first] = found.games;
    if (!first) {
      const [why] = found.faults;
      if (!why) return setNote({ text: t("analyse.nothing"), bad: true });
      return setNote({ text: t("analyse.badRecord", { line: why.line }), detail: why.reason, bad: true });
    }
    setText("");
    const isMany = found.games.length > 1 || found.faults.length > 0;
    setList(isMany ? { found, chosen: null } : null);
    setNote(name === undefined ? null : { text: t("analyse.opened", { name }), bad: false });
    if (found.games.length === 1) onGame(first.open());
  };
  const fail = (error: unknown) => {
    const { text, detail } = faultOf(error);
    setNote({ text: t("analyse.bad", { reason: text }), detail, bad: true });
  };
  const load = (source: string, name?: string) => {
    const question = ++asked.current;
    setList(null);
    if (!isLong(source)) {
      try {
        show(findHere(source, usual), name);
      } catch (error) {
        fail(error);
      }
      return;
    }
    setNote({ text: t("analyse.reading"), bad: false });
    findInWorker(source, usual).then(
      (found) => question === asked.current && show(found, name),
      (error: unknown) => question === asked.current && fail(error),
    );
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
          {note.text} {note.detail && <span lang="en">{note.detail}</span>}
        </p>
      )}
      {list && (
        <GameList
          found={list.found}
          chosen={list.chosen}
          onChoose={(game) => {
            setList({ ...list, chosen: game.number });
            onGame(game.open());
          }}
        />
      )}
    </form>
  );
}
