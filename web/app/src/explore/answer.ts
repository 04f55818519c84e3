import { effect, signal, untracked } from "@preact/signals";
import type { Probe } from "millstone-mill";
import { study } from "../state/study";
import { folder, openedTablebase, tablebase } from "./source";

/** What the tablebase says about a position. */
export type Answer =
  { kind: "looking" } | { kind: "probe"; probe: Probe } | { kind: "fault"; error: unknown };

export const LOOKING: Answer = { kind: "looking" };

/** The latest answer, and the position it is about. */
export const answer = signal<{ fen: string; about: Answer }>({ fen: "", about: LOOKING });
/** Ends the latest question: its answer is no longer wanted. */
let latest = new AbortController();

/**
 * Looks the shown position up: at any cost if `whole`, also in files that were missing if `again`. Only the
 * answer to the latest question counts; the one before is given up.
 */
export function lookUp({ whole = false, again = false } = {}): void {
  latest.abort();
  latest = new AbortController();
  const { signal } = latest;
  const how = { whole, again, signal };
  const copy = study().game.clone();
  const fen = copy.fen();
  answer.value = { fen, about: LOOKING };
  // Without a wait where none is needed: the first requests then leave before anything is drawn.
  const tables = openedTablebase();
  const probe = tables ? tables.probe(copy, how) : tablebase().then((opened) => opened.probe(copy, how));
  const say = (about: Answer) => {
    copy.free();
    if (!signal.aborted) answer.value = { fen, about };
  };
  probe.then(
    (found) => say({ kind: "probe", probe: found }),
    (error: unknown) => say({ kind: "fault", error }),
  );
}

/** Looks up every position that is shown, until the function that it returns is called. */
export function lookUpAll(): () => void {
  let last = "";
  const stop = effect(() => {
    const { fen, state } = study().view.value;
    // All rules without a name of their own are called `custom`; their options tell them apart.
    const now = JSON.stringify([folder.value, study().game.ruleOptions(), fen]);
    if (now === last) return;
    last = now;
    latest.abort();
    if (state.result === null) untracked(() => lookUp());
  });
  return () => {
    stop();
    latest.abort();
  };
}
