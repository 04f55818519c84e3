import { t } from "../i18n";

/**
 * What the library says about a fault, with a label: it speaks English only. Nothing if the text is empty.
 */
export const Detail = ({ text }: { text: string }) =>
  text ? (
    <>
      {t("fault.detail")} <span lang="en">{text}</span>
    </>
  ) : null;
