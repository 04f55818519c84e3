import type { Probe } from "millstone-mill";
import { number, t } from "../i18n";
import { Detail } from "../parts/detail";
import { faultOf, mayPass } from "../parts/fault";
import { focusPanel } from "../parts/focus";
import { valueText } from "../parts/value";
import { lookUp, type Answer } from "./answer";
import { folder } from "./source";
import { MoveTable } from "./table";

interface VerdictProps {
  answer: Answer;
  side: "w" | "b";
  onMove: (move: string, event: MouseEvent) => void;
  onPoint: (move: string | null) => void;
}

/** Looks the position up once more. The button is not there meanwhile. */
function ask(event: Event, how: Parameters<typeof lookUp>[0]): void {
  focusPanel(event);
  lookUp(how);
}

/** The value of the position and of every move, or the reason why there is none. */
export function Verdict({ answer: now, side, onMove, onPoint }: VerdictProps) {
  if (now.kind === "looking") return <p class="status">{t("explore.looking")}</p>;
  if (now.kind === "fault") {
    const fault = faultOf(now.error);
    return (
      <div class="status fault" role="alert" data-testid="fault">
        <p>{t("explore.missing", { reason: fault.text })}</p>
        {fault.detail && (
          <p class="small">
            <Detail text={fault.detail} />
          </p>
        )}
        {mayPass(now.error) && (
          <button type="button" onClick={(event) => ask(event, { again: true })}>
            {t("explore.retry")}
          </button>
        )}
      </div>
    );
  }
  const { probe } = now;
  if (probe.isWhole && !probe.value && probe.moves.every(({ value }) => !value))
    return (
      <div class="status fault" role="alert" data-testid="fault">
        <p>{t("explore.missing", { reason: t("fault.no-value") })}</p>
        {folder.value === null && <p class="small">{t("explore.limits")}</p>}
      </div>
    );
  return (
    <>
      <p class={`status value ${probe.value ?? "unknown"}`} data-testid="value">
        {t("explore.verdict", { side: t(`side.${side}`), value: valueText(probe.value, probe.plies) })}
      </p>
      {probe.value === null && probe.isWhole && (
        <p class="bad small" data-testid="unknown">
          {t("fault.no-value")} {folder.value === null && t("explore.limits")}
        </p>
      )}
      <p class="muted small">{t("explore.hint")}</p>
      <MoveTable moves={probe.moves} onMove={onMove} onPoint={onPoint} />
      <Notes probe={probe} />
      {!probe.isWhole && (
        <p class="small" data-testid="partial">
          {t("explore.partial")}{" "}
          <button type="button" onClick={(event) => ask(event, { whole: true })}>
            {t("explore.rest")}
          </button>
        </p>
      )}
      <p
        class="muted small"
        data-testid="cost"
        data-requests={probe.cost.requests}
        data-bytes={probe.cost.bytes}
      >
        {costText(probe.cost)}
      </p>
    </>
  );
}

/** What the answer had to do without, and a button that asks for it again. */
function Notes({ probe: { notes, absent, unsized } }: { probe: Probe }) {
  if (notes.length === 0) return null;
  return (
    <div class="notes">
      {absent.map((file) => (
        <p key={file} class="bad small" data-testid="note">
          {t("explore.absent", { file })}
        </p>
      ))}
      {unsized.map((file) => (
        <p key={file} class="bad small" data-testid="note">
          {t("explore.unsized", { file })}
        </p>
      ))}
      {notes.slice(absent.length + unsized.length).map((note) => (
        <p key={note} class="bad small" data-testid="note">
          {t("explore.unread")} <span lang="en">{note}</span>
        </p>
      ))}
      <button type="button" onClick={(event) => ask(event, { again: true })}>
        {t("explore.retry")}
      </button>
    </div>
  );
}

/** What an answer cost, in words. */
function costText({ requests, bytes, cached }: Probe["cost"]): string {
  if (folder.value === null) return t("explore.costBuiltIn");
  if (requests === 0) return t("explore.costNothing");
  const kilobytes = (count: number) => number(count / 1000, count < 10_000 ? 1 : 0);
  const fetched = t("explore.cost", { n: requests, kilobytes: kilobytes(bytes) });
  return cached > 0 ? `${fetched} · ${t("explore.costCached", { kilobytes: kilobytes(cached) })}` : fetched;
}
