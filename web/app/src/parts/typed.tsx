import { useState } from "preact/hooks";
import { t } from "../i18n";

/** A field for moves as text, for those who would rather type. */
export function TypedMove({ legal, onMove }: { legal: readonly string[]; onMove: (move: string) => void }) {
  const [text, setText] = useState("");
  const [bad, setBad] = useState<{ move: string; at: string } | null>(null);
  // About the position in which it was typed.
  const at = legal.join();
  const isBad = bad !== null && bad.at === at;
  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault();
        const move = text.trim().toLowerCase();
        if (!move) return;
        setBad(legal.includes(move) ? null : { move, at });
        if (!legal.includes(move)) return;
        setText("");
        onMove(move);
      }}
    >
      <label>
        <span>{t("board.typed")}</span>
        <input
          type="text"
          value={text}
          placeholder={t("board.typedHint")}
          maxLength={8}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-invalid={isBad}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {isBad && (
        <p class="bad small" role="alert">
          {t("board.typedBad", { move: bad.move })}
        </p>
      )}
    </form>
  );
}
