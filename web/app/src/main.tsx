import { render } from "preact";
import { App } from "./app";
import { loadLibrary } from "./engine/library";
import { prepareFolder } from "./explore/source";
import { prepareNumbers } from "./i18n";
import { later } from "./state/later";
import { applyPrefs } from "./state/prefs";
import { followLink, watchHistory, watchLinkFault } from "./state/linked";
import { ready, failure } from "./state/ready";
import { onAddress } from "./state/route";
import { registerWorker } from "./state/offline";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/board.css";
import "./styles/panels.css";
import "./styles/lists.css";

const root = document.getElementById("app")!;

void applyPrefs().then(() => render(<App />, root));
loadLibrary().then(
  () => {
    // Before anything is shown, so that no other position is looked up first.
    watchLinkFault();
    followLink();
    onAddress(followLink);
    watchHistory();
    ready.value = true;
    later(prepareNumbers);
    later(prepareFolder);
  },
  (error: unknown) => (failure.value = error instanceof Error ? error.message : String(error)),
);
registerWorker();

// A page that Back or Forward brings back as it was left knows nothing of other tabs, and its clock ran on.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

// A file that is dropped must not take the place of the page; the parts that read files listen for
// themselves.
for (const kind of ["dragover", "drop"] as const)
  addEventListener(kind, (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
