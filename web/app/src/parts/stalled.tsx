import { t } from "../i18n";

/** Says that the engine stopped, with a button that starts it again. */
export function Stalled({ onRestart }: { readonly onRestart: () => void }) {
  return (
    <div class="status fault" role="alert" data-testid="stalled">
      <p>{t("engine.stalled")}</p>
      <button type="button" class="primary" onClick={onRestart}>
        {t("engine.restart")}
      </button>
    </div>
  );
}
