import { render } from "preact";
import { App } from "./app";
import { loadLibrary } from "./engine/library";
import { applyPrefs } from "./state/prefs";
import { followLink, watchLinkFault } from "./state/linked";
import { ready, failure } from "./state/ready";
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
    addEventListener("hashchange", followLink);
    ready.value = true;
  },
  (error: unknown) => (failure.value = error instanceof Error ? error.message : String(error)),
);
registerWorker();
