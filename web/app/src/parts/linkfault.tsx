import { t } from "../i18n";
import { linkFault } from "../state/linked";

/** Why the game of a link cannot be shown. */
export function LinkFault() {
  const fault = linkFault.value;
  if (!fault) return null;
  return (
    <p class="bad" role="alert" data-testid="bad-link">
      {t("analyse.badLink", { reason: fault.text })} {fault.detail && <span lang="en">{fault.detail}</span>}
    </p>
  );
}
