import type { Probe } from "millstone-mill";
import { number, t } from "../i18n";

/** A share of all positions in per cent. What is not nothing and not all does not look so. */
function percent(n: number, all: number): string {
  const share = (100 * n) / all;
  if (n > 0 && share < 0.1) return `< ${number(0.1, 1)}`;
  if (n < all && share > 99.9) return `> ${number(99.9, 1)}`;
  return number(share, 1);
}

/** The statistics of all positions with the same numbers of men. */
export function Sector({ sector }: { sector: NonNullable<Probe["sector"]> }) {
  const { wins, draws, losses } = sector;
  const all = Math.max(1, wins + draws + losses);
  const parts = [
    ["win", wins, t("explore.wins")],
    ["draw", draws, t("explore.draws")],
    ["loss", losses, t("explore.losses")],
  ] as const;
  let x = 0;
  return (
    <div class="sector">
      <p>
        <strong>{sector.name}</strong>{" "}
        <span class="muted small">
          {t("explore.men", { men: sector.men.join("–") })}
          {sector.hands.some((men) => men > 0) &&
            `, ${t("explore.hands", { hands: sector.hands.join("–") })}`}
        </span>
      </p>
      <svg class="sector-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(([kind, n]) => {
          const width = (100 * n) / all;
          x += width;
          return <rect key={kind} class={`fill-${kind}`} x={x - width} width={width} height="6" />;
        })}
      </svg>
      <dl class="figures">
        {parts.map(([kind, n, name]) => (
          <div key={kind}>
            <dt class={kind}>{name}</dt>
            <dd>
              {number(n)} <span class="muted small">({percent(n, all)} %)</span>
            </dd>
          </div>
        ))}
        {sector.longest !== null && (
          <div>
            <dt>{t("explore.longest")}</dt>
            <dd>{number(sector.longest)}</dd>
          </div>
        )}
      </dl>
      <p class="muted small">
        {t("explore.positions", { n: wins + draws + losses, count: number(wins + draws + losses) })} ·{" "}
        {t("explore.file", { file: sector.file, kilobytes: number(Math.ceil(sector.bytes / 1000)) })}
      </p>
      <p class="muted small">{t("explore.sectorHint")}</p>
    </div>
  );
}
