import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Disc, Mark, place } from "./drawing";
import { POINTS } from "./points";

/** A man that has just been taken and fades. */
interface Ghost {
  key: number;
  point: string;
  side: string;
}

/** The number of men that have faded so far. */
let faded = 0;

const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

const points = (board: string, man: string): string[] => POINTS.filter((_, i) => board[i] === man);

/** Lets men slide, drop in and fade from one board to the next. */
function animate(root: SVGGElement, before: string, after: string): Ghost[] {
  const ghosts: Ghost[] = [];
  for (const side of ["w", "b"]) {
    const was = points(before, side);
    const is = points(after, side);
    const gone = was.filter((point) => !is.includes(point));
    const come = is.filter((point) => !was.includes(point));
    const element = (point: string) => root.querySelector(`[data-man="${point}"] > g`);
    if (gone.length === 1 && come.length === 1) {
      const [x, y] = place(gone[0]!);
      const [u, v] = place(come[0]!);
      element(come[0]!)?.animate(
        [{ transform: `translate(${x - u}px, ${y - v}px)` }, { transform: "translate(0, 0)" }],
        { duration: 260, easing: "cubic-bezier(.3, .1, .2, 1)" },
      );
    } else if (come.length === 1) {
      element(come[0]!)?.animate(
        [
          { transform: "translateY(-26px) scale(1.18)", opacity: 0 },
          { transform: "translateY(0) scale(1)", opacity: 1 },
        ],
        { duration: 200, easing: "cubic-bezier(.2, .7, .3, 1)" },
      );
    } else if (gone.length === 1) {
      ghosts.push({ key: faded++, point: gone[0]!, side });
    }
  }
  return ghosts;
}

/** The men on the board. `held` is a man that the pointer carries, with its place. */
export function Men({
  board,
  held,
}: {
  board: string;
  held: { point: string; x: number; y: number } | null;
}) {
  const root = useRef<SVGGElement>(null);
  const shown = useRef({ board, carried: false });
  const [ghosts, setGhosts] = useState<Ghost[]>([]);

  useLayoutEffect(() => {
    const { board: before, carried } = shown.current;
    shown.current = { board, carried: held !== null };
    if (before === board || !root.current || calm()) return;
    // A man that the pointer has carried is already there.
    const fresh = carried ? [] : animate(root.current, before, board);
    if (fresh.length > 0) setGhosts((old) => [...old, ...fresh]);
  });

  const forget = (key: number) => setGhosts((old) => old.filter((ghost) => ghost.key !== key));
  return (
    <g ref={root}>
      {ghosts.map(({ key, point, side }) => (
        <g key={key} transform={`translate(${place(point).join(" ")})`}>
          <g class="ghost" onAnimationEnd={() => forget(key)}>
            <Disc side={side} />
          </g>
        </g>
      ))}
      {POINTS.map((point, i) => {
        const man = board[i];
        if (man === "." || man === undefined) return null;
        const [x, y] = held?.point === point ? [held.x, held.y] : place(point);
        return (
          <g
            key={point}
            data-man={point}
            class={held?.point === point ? "man held" : "man"}
            transform={`translate(${x} ${y})`}
          >
            <g>{man === "x" ? <Mark /> : <Disc side={man} />}</g>
          </g>
        );
      })}
    </g>
  );
}
