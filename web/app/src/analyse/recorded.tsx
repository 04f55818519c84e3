import { t } from "../i18n";
import type { View } from "../state/desk";

/** Comments as people wrote them, without the commands of programs such as `[%eval 0.35]`. */
const plain = (comment: string): string => comment.replace(/\[%[^\]]*\]/g, "").trim();

/**
 * What the record says beside the moves: the comments on the shown move, at the start those before the first
 * one, and at the end the result.
 */
export function Recorded({ view }: { view: View }) {
  const shown = view.ply === 0 ? view.comments : view.moves[view.ply - 1]!.comments;
  const comments = shown.map(plain).filter(Boolean);
  const isEnd = view.ply === view.moves.length && !view.state.result;
  const result = {
    "1-0": "result.win.w",
    "0-1": "result.win.b",
    "1/2-1/2": "result.draw",
    "*": null,
  } as const;
  const said = isEnd ? result[view.result] : null;
  if (comments.length === 0 && !said) return null;
  return (
    <div class="recorded" data-testid="recorded">
      {comments.map((comment, i) => (
        <p key={i}>{comment}</p>
      ))}
      {said && <p class="muted">{t("analyse.recorded", { result: t(said) })}</p>}
    </div>
  );
}
