import { t } from "../i18n";
import { Detail } from "./detail";
import { faultOf } from "./fault";
import { linkFault } from "../state/linked";

/** Why the game of a link cannot be shown. */
export function LinkFault() {
  if (linkFault.value === null) return null;
  const fault = faultOf(linkFault.value.error);
  return (
    <p class="bad" role="alert" data-testid="bad-link">
      {t("analyse.badLink", { reason: fault.text })} <Detail text={fault.detail} />
    </p>
  );
}
