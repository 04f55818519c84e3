import { t } from "../i18n";
import type { Judgement } from "./judgement";

/** The value of the position as a bar: white from below. */
export function Bar({ judgement }: { judgement: Judgement | undefined }) {
  const white = judgement?.white ?? 0.5;
  return (
    <svg
      class={judgement?.exact ? "bar exact" : "bar"}
      viewBox="0 0 10 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={t(judgement?.exact ? "analyse.bar" : "analyse.barWhite", { value: judgement?.text ?? "?" })}
    >
      <rect class="bar-black" width="10" height="100" />
      <rect class="bar-white" y={100 - 100 * white} width="10" height={100 * white} />
      <path class="bar-middle" d="M0 50H10" />
    </svg>
  );
}
