import { effect } from "@preact/signals";
import { rules } from "../engine/library";
import { Desk, isStored, restore } from "./desk";
import { read, write } from "./storage";

let desk: Desk | null = null;

/** The game that is analysed and explored, the one of the last visit at first. */
export function study(): Desk {
  if (desk) return desk;
  const stored = read("study", isStored);
  let game = null;
  try {
    game = stored && restore(rules(), stored);
  } catch {
    // Stored by an older version of the page: a new board is the better start.
  }
  const made = new Desk(game ?? rules().newGame("nine"));
  desk = made;
  effect(() => {
    void made.view.value;
    write("study", made.store());
  });
  return made;
}
