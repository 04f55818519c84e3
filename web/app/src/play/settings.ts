import { rules } from "../engine/library";
import { isObject } from "../state/storage";

/** What the reader chose for a game against the engine. */
export interface Settings {
  rules: string;
  colour: "w" | "b" | "random";
  by: "level" | "elo";
  level: number;
  elo: number;
  /** Minutes for the game and seconds for each turn, or null. */
  clock: readonly [number, number] | null;
}

export const LEVELS = 30;
export const ELO = [516, 2203] as const;
export const CLOCKS: readonly (readonly [number, number])[] = [
  [1, 0],
  [3, 2],
  [5, 3],
  [10, 5],
  [30, 10],
];

export const DEFAULTS: Settings = {
  rules: "nine",
  colour: "w",
  by: "level",
  level: 8,
  elo: 1000,
  clock: null,
};

const within = (value: unknown, low: number, high: number): boolean =>
  typeof value === "number" && value >= low && value <= high;

export const isSettings = (value: unknown): value is Settings =>
  isObject(value) &&
  rules()
    .ruleSets()
    .some((set) => set.id === value["rules"]) &&
  ["w", "b", "random"].includes(value["colour"] as string) &&
  ["level", "elo"].includes(value["by"] as string) &&
  within(value["level"], 0, LEVELS) &&
  within(value["elo"], ...ELO) &&
  (value["clock"] === null ||
    (Array.isArray(value["clock"]) &&
      value["clock"].length === 2 &&
      within(value["clock"][0], 1, 600) &&
      within(value["clock"][1], 0, 600)));

/** The options that make the engine play as strongly as chosen. */
export const strength = ({ by, level, elo }: Settings): string[] =>
  by === "elo"
    ? ["setoption name UCI_LimitStrength value true", `setoption name UCI_Elo value ${elo}`]
    : ["setoption name UCI_LimitStrength value false", `setoption name SkillLevel value ${level}`];
