import type { ComponentProps } from "preact";

interface Props extends Omit<ComponentProps<"button">, "disabled" | "onClick"> {
  /** True if it has nothing to do now. */
  off: boolean;
  onClick?: () => void;
}

/** A button that keeps the focus while it has nothing to do, which a disabled one would lose. */
export const Button = ({ off, onClick, ...rest }: Props) => (
  <button
    type="button"
    {...rest}
    aria-disabled={off || undefined}
    onClick={(event) => {
      if (off) event.preventDefault();
      else onClick?.();
    }}
  />
);
