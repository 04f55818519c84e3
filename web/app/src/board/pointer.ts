import { useRef, useState } from "preact/hooks";
import { POINTS } from "./points";
import { SIZE, place } from "./drawing";

/** A man that the pointer carries, in units of the drawing. */
export interface Held {
  point: string;
  x: number;
  y: number;
}

const START = 9;

/**
 * Carrying a man with the mouse or a pen. A finger taps instead, so that the page can still be scrolled.
 * `take` is called when a man is lifted and `drop` when it is let go over a point.
 */
export function usePointer(
  movable: (point: string) => boolean,
  take: (point: string) => void,
  drop: (point: string) => void,
) {
  const [held, setHeld] = useState<Held | null>(null);
  const down = useRef<{ point: string; x: number; y: number } | null>(null);
  const carried = useRef(false);

  const onDrawing = (event: PointerEvent): { x: number; y: number } => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / box.width) * SIZE,
      y: ((event.clientY - box.top) / box.height) * SIZE,
    };
  };

  const end = () => {
    down.current = null;
    setHeld(null);
  };

  return {
    held,
    /** Lets the man go where it was. */
    end,
    /**
     * True for the click that ends the carrying of a man: it means nothing. A key clicks without the pointer.
     */
    endsCarrying: (event: MouseEvent): boolean => carried.current && event.detail > 0,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        carried.current = false;
        const point = (event.target as HTMLElement).dataset["point"];
        if (event.pointerType === "touch" || event.button !== 0 || !point || !movable(point)) return;
        down.current = { point, ...onDrawing(event) };
      },
      onPointerMove: (event: PointerEvent) => {
        if (!down.current) return;
        // The button was released beyond the board, which hears nothing of it.
        if (!(event.buttons & 1)) return end();
        const { x, y } = onDrawing(event);
        if (!carried.current) {
          if (Math.hypot(x - down.current.x, y - down.current.y) < START) return;
          carried.current = true;
          (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
          take(down.current.point);
        }
        setHeld({ point: down.current.point, x, y });
      },
      onPointerUp: (event: PointerEvent) => {
        const from = carried.current && down.current?.point;
        end();
        if (!from) return;
        const { x, y } = onDrawing(event);
        const near = POINTS.find((point) => Math.hypot(x - place(point)[0], y - place(point)[1]) < 48);
        if (near && near !== from) drop(near);
      },
      onPointerCancel: end,
    },
  };
}
