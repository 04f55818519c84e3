import { t } from "./i18n";
import { Analyse } from "./analyse/analyse";
import { Explore } from "./explore/explore";
import { focusBoard } from "./parts/focus";
import { Footer } from "./parts/footer";
import { Header } from "./parts/header";
import { Live } from "./parts/live";
import { Play } from "./play/play";
import { failure, ready } from "./state/ready";
import { mode } from "./state/route";

const PARTS = { play: Play, analyse: Analyse, explore: Explore };

/** The whole page. */
export function App() {
  const Part = PARTS[mode.value];
  return (
    <>
      <a class="skip" href="#board" onClick={skip}>
        {t("app.skip")}
      </a>
      <Header />
      <main class="page">
        {failure.value ? (
          <p class="notice bad" role="alert">
            {t("app.failed")} <span lang="en">{failure.value}</span>
          </p>
        ) : ready.value ? (
          <Part />
        ) : (
          <p class="notice">{t("app.loading")}</p>
        )}
      </main>
      <Footer />
      <Live />
    </>
  );
}

/** The address stays as it is: the part after `#` says which part of the page is shown. */
function skip(event: Event): void {
  event.preventDefault();
  focusBoard();
}
