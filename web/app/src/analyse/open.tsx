import { useEffect, useRef, useState } from "preact/hooks";
import type { Game } from "millstone-mill";
import { t } from "../i18n";
import { Button } from "../parts/button";
import { Detail } from "../parts/detail";
import { TooLarge, faultOf, type Fault } from "../parts/fault";
import { Icon } from "../parts/icons";
import { study } from "../state/study";
import { findHere, findInWorker, isHere, type Found } from "./found";
import { GameList } from "./gamelist";

/** The largest file or text that is read. A game has a few kilobytes. */
const MOST = 1_000_000;
/** A longer text is read at once: browsers take seconds to show it in a field. */
const MOST_SHOWN = 20_000;

/** The text of a file. Older programs wrote Latin letters in one byte each. */
function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const [first, second] = new Uint8Array(bytes);
    const isWide = first === 0xff && second === 0xfe;
    return new TextDecoder(isWide ? "utf-16le" : "windows-1252").decode(bytes);
  }
}

/** What became of the last text, in the language of the moment. */
interface Note {
  bad: boolean;
  say: () => Fault;
}

/**
 * A field for a position or a game, and a button for a file. Everything read is data, never part of the page.
 */
export function Open({ usual, onGame }: { usual: string; onGame: (game: Game) => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState<Note | null>(null);
  const [list, setList] = useState<{ found: Found; chosen: number | null } | null>(null);
  /** Grows with every text; an answer about an older one is no longer wanted. */
  const asked = useRef(0);
  const input = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);

  const show = (found: Found, name?: string) => {
    const [first] = found.games;
    if (!first) {
      const [why] = found.faults;
      if (!why) return setNote({ bad: true, say: () => ({ text: t("analyse.nothing"), detail: "" }) });
      return setNote({
        bad: true,
        say: () => ({ text: t("analyse.badRecord", { line: why.line }), detail: why.reason }),
      });
    }
    setText("");
    const isMany = found.games.length > 1 || found.faults.length > 0 || found.notes.length > 0;
    setList(isMany ? { found, chosen: null } : null);
    setNote(
      name === undefined
        ? null
        : { bad: false, say: () => ({ text: t("analyse.opened", { name }), detail: "" }) },
    );
    if (found.games.length === 1) onGame(first.open());
  };
  const fail = (error: unknown) =>
    setNote({
      bad: true,
      say: () => {
        const { text, detail } = faultOf(error);
        return { text: t("analyse.bad", { reason: text }), detail };
      },
    });
  const load = (source: string, name?: string, question = ++asked.current) => {
    if (question !== asked.current) return;
    setList(null);
    if (isHere(source)) {
      try {
        show(findHere(source, usual), name);
      } catch (error) {
        fail(error);
      }
      return;
    }
    setNote({ bad: false, say: () => ({ text: t("analyse.reading"), detail: "" }) });
    const { changes } = study();
    findInWorker(source, usual)
      .then((found) => {
        if (question !== asked.current) return;
        // The reader may have gone on with the game on the board meanwhile.
        if (found.games.length === 1 && changes !== study().changes) setNote(null);
        else show(found, name);
      })
      .catch((error: unknown) => question === asked.current && fail(error));
  };
  const isTooLarge = (size: number): boolean => {
    if (size <= MOST) return false;
    asked.current++;
    setList(null);
    setNote({ bad: true, say: () => faultOf(new TooLarge(size, MOST)) });
    return true;
  };
  const open = async (file: File | undefined) => {
    if (!file || isTooLarge(file.size)) return;
    const question = ++asked.current;
    try {
      load(decoded(await file.arrayBuffer()), file.name, question);
    } catch (error) {
      // A folder, or a file that is gone.
      if (question === asked.current) fail(error);
    }
  };
  // A file may be dropped anywhere on the page; what is said about it is shown.
  const drop = useRef(open);
  drop.current = open;
  useEffect(() => {
    const onDrop = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      const fold = file && form.current?.closest("details");
      if (fold) fold.open = true;
      void drop.current(file);
    };
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("drop", onDrop);
      asked.current++;
    };
  }, []);
  /** Reads a long text in place of the field. Returns false if the field may show it. */
  const take = (long: string): boolean => {
    if (long.length <= MOST_SHOWN) return false;
    setText("");
    if (!isTooLarge(long.length)) load(long);
    return true;
  };
  const said = note?.say();
  return (
    <form
      class="open"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") load(text);
      }}
      ref={form}
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
        <Button type="submit" off={text.trim() === ""}>
          {t("analyse.load")}
        </Button>
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
      {note && said && (
        <p class={note.bad ? "bad" : "muted"} role={note.bad ? "alert" : "status"} data-testid="open-note">
          {said.text} <Detail text={said.detail} />
        </p>
      )}
      {list && (
        <GameList
          found={list.found}
          chosen={list.chosen}
          onChoose={(game) => {
            setList({ ...list, chosen: game.number });
            try {
              onGame(game.open());
            } catch (error) {
              fail(error);
            }
          }}
        />
      )}
    </form>
  );
}
