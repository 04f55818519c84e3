import { LANGUAGES, t, type Language } from "../i18n";
import { chosenLanguage, theme, type Theme } from "../state/prefs";
import { MODES, mode } from "../state/route";
import { Logo } from "./icons";

const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** Name, parts of the page, language and colours. */
export function Header() {
  return (
    <header class="header">
      <h1 class="brand">
        <Logo />
        <span>Millstone</span>
      </h1>
      <nav class="modes" aria-label={t("mode.label")}>
        {MODES.map((name) => (
          <a key={name} href={`#${name}`} aria-current={mode.value === name ? "page" : undefined}>
            {t(`mode.${name}`)}
          </a>
        ))}
      </nav>
      <div class="prefs">
        <label>
          <span class="unseen">{t("language.label")}</span>
          <select
            value={chosenLanguage.value}
            onChange={(event) => (chosenLanguage.value = event.currentTarget.value as Language)}
          >
            {Object.entries(LANGUAGES).map(([code, { name }]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="unseen">{t("theme.label")}</span>
          <select
            value={theme.value}
            onChange={(event) => (theme.value = event.currentTarget.value as Theme)}
          >
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {t(`theme.${name}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
    </header>
  );
}
