import { t } from "../i18n";
import { Detail } from "./detail";
import { faultOf } from "./fault";
import { focusBoard } from "./focus";
import { leaveLink, linkFault } from "../state/linked";
import { forgetEarlier, hasEarlier } from "../state/study";

/** Tells that a link took the place of the reader's game, and brings it back. */
export function Earlier() {
  if (!hasEarlier.value) return null;
  return (
    <p class="small" data-testid="earlier">
      {t("link.earlier")}{" "}
      <button type="button" class="link" onClick={() => focusBoard(leaveLink)}>
        {t("link.restore")}
      </button>{" "}
      <button type="button" class="link" onClick={() => focusBoard(forgetEarlier)}>
        {t("link.forget")}
      </button>
    </p>
  );
}

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
