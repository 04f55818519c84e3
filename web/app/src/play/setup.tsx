import { useState } from "preact/hooks";
import { rules } from "../engine/library";
import { has, number, t } from "../i18n";
import { rulesName } from "../parts/result";
import { CLOCKS, ELO, LEVELS, type Settings } from "./settings";

interface Props {
  settings: Settings;
  onStart: (settings: Settings) => void;
}

const COLOURS = ["w", "random", "b"] as const;

interface SegmentsProps<T extends string> {
  /** The name of the radio buttons in the form. */
  name: string;
  values: readonly T[];
  chosen: T;
  label: (value: T) => string;
  onChange: (value: T) => void;
}

/** A choice of one of a few values, all of them in sight. */
function Segments<T extends string>({ name, values, chosen, label, onChange }: SegmentsProps<T>) {
  return (
    <div class="segments">
      {values.map((value) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={chosen === value}
            onChange={() => onChange(value)}
          />
          <span>{label(value)}</span>
        </label>
      ))}
    </div>
  );
}

/** The settings of a new game. */
export function Setup({ settings, onStart }: Props) {
  const [chosen, setChosen] = useState(settings);
  const change = (part: Partial<Settings>) => setChosen({ ...chosen, ...part });
  const about = `about.${chosen.rules}`;
  return (
    <form
      class="setup"
      onSubmit={(event) => {
        event.preventDefault();
        onStart(chosen);
      }}
    >
      <label class="field">
        <span>{t("play.rules")}</span>
        <select value={chosen.rules} onChange={(event) => change({ rules: event.currentTarget.value })}>
          {rules()
            .ruleSets()
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {rulesName(id, name)}
              </option>
            ))}
        </select>
      </label>
      {has(about) && <p class="muted small">{t(about)}</p>}

      <fieldset class="field">
        <legend>{t("play.colour")}</legend>
        <Segments
          name="colour"
          values={COLOURS}
          chosen={chosen.colour}
          label={(colour) => (colour === "random" ? t("play.random") : t(`side.${colour}`))}
          onChange={(colour) => change({ colour })}
        />
      </fieldset>

      <fieldset class="field">
        <legend>{t("play.strength")}</legend>
        <Segments
          name="by"
          values={["level", "elo"]}
          chosen={chosen.by}
          label={(by) => t(by === "level" ? "play.byLevel" : "play.byElo")}
          onChange={(by) => change({ by })}
        />
        <Strength chosen={chosen} change={change} />
      </fieldset>

      <label class="field">
        <span>{t("play.clock")}</span>
        <select
          value={chosen.clock?.join("+") ?? ""}
          onChange={(event) =>
            change({ clock: CLOCKS.find((clock) => clock.join("+") === event.currentTarget.value) ?? null })
          }
        >
          <option value="">{t("play.noClock")}</option>
          {CLOCKS.map(([minutes, seconds]) => (
            <option key={minutes} value={`${minutes}+${seconds}`}>
              {t("play.clockValue", { minutes, seconds })}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        {t("play.start")}
      </button>
    </form>
  );
}

function Strength({ chosen, change }: { chosen: Settings; change: (part: Partial<Settings>) => void }) {
  const byElo = chosen.by === "elo";
  const text = byElo
    ? t("play.eloValue", { n: number(chosen.elo) })
    : t("play.levelValue", { n: chosen.level }) + (chosen.level === LEVELS ? ` (${t("play.full")})` : "");
  return (
    <div class="range">
      <input
        type="range"
        min={byElo ? ELO[0] : 0}
        max={byElo ? ELO[1] : LEVELS}
        value={byElo ? chosen.elo : chosen.level}
        aria-label={t("play.strength")}
        aria-valuetext={text}
        onInput={(event) => {
          const value = Number(event.currentTarget.value);
          change(byElo ? { elo: value } : { level: value });
        }}
      />
      <output>{text}</output>
    </div>
  );
}
