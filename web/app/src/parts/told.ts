import type { Game } from "millstone-mill";
import { spokenLast } from "../board/spoken";
import { t } from "../i18n";
import type { Desk } from "../state/desk";
import { announce } from "./live";

/** Tells screen readers which position of a game is shown. */
export function tellPosition(desk: Desk): void {
  const { ply, moves } = desk.view.value;
  announce(`${t("say.position", { ply, plies: moves.length })} ${spokenLast(desk.view.value)}`);
}

/** What a reader does with a game. Screen readers are told what it has led to. */
export function told(desk: Desk) {
  return {
    play: (move: string): void => {
      desk.play(move);
      announce(spokenLast(desk.view.value));
    },
    goTo: (ply: number): void => {
      desk.goto(ply);
      tellPosition(desk);
    },
    replace: (game: Game): void => {
      desk.replace(game);
      tellPosition(desk);
    },
  };
}
