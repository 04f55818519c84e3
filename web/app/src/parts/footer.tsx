import { t } from "../i18n";
import { engineFault } from "../engine/library";
import { offline, renew, updated } from "../state/offline";

/** Notes about the program itself. */
export function Footer() {
  return (
    <footer class="footer">
      {engineFault.value && (
        <p class="bad" role="alert">
          {t("app.failed")} <span lang="en">{engineFault.value}</span>
        </p>
      )}
      {updated.value && (
        <p>
          {t("app.update")}{" "}
          <button type="button" class="link" onClick={renew}>
            {t("app.reload")}
          </button>
        </p>
      )}
      {offline.value !== "none" && (
        <p data-testid="offline" data-state={offline.value}>
          {t(`app.${offline.value}`)}
        </p>
      )}
      <p>{t("app.source")}</p>
    </footer>
  );
}
