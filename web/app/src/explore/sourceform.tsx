import { useId, useState } from "preact/hooks";
import { t } from "../i18n";
import { folder, folderAddress, chooseFolder } from "./source";

/** The choice between the built-in tablebase and a folder on a web server. */
export function Source() {
  const [remote, setRemote] = useState(folder.value !== null);
  const [text, setText] = useState(folder.value ?? "");
  const hint = useId();
  /** The address that was to be used last. */
  const [tried, setTried] = useState<string | null>(null);
  const bad = tried === null ? null : folderAddress(tried).fault;
  return (
    <form
      class="source"
      // The browser's own check would keep the message below from being written.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(text);
        const { url } = folderAddress(text);
        if (url !== null) chooseFolder(url);
      }}
    >
      <fieldset class="field">
        <legend>{t("explore.source")}</legend>
        <div class="segments">
          <label>
            <input
              type="radio"
              name="source"
              checked={!remote}
              onChange={() => {
                setRemote(false);
                chooseFolder(null);
              }}
            />
            <span>{t("explore.builtIn")}</span>
          </label>
          <label>
            <input type="radio" name="source" checked={remote} onChange={() => setRemote(true)} />
            <span>{t("explore.folder")}</span>
          </label>
        </div>
      </fieldset>
      {remote && (
        <>
          <label class="field">
            <span>{t("explore.url")}</span>
            <input
              type="url"
              value={text}
              placeholder="https://"
              aria-invalid={bad !== null}
              aria-describedby={hint}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <p id={hint} class="muted small">
            {t("explore.urlHint")}
          </p>
          {bad !== null && (
            <p class="bad small" role="alert" data-testid="bad-url">
              {bad}
            </p>
          )}
          <button type="submit">{t("explore.use")}</button>
        </>
      )}
    </form>
  );
}
