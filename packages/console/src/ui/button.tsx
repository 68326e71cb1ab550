import type { ComponentProps } from "react";

interface ButtonLook {
  /** `link` looks like a link in the text. */
  readonly variant?: "primary" | "danger" | "plain" | "link" | undefined;
  readonly size?: "small" | "tiny" | undefined;
  readonly className?: string | undefined;
}

export function Button({ variant, size, className, type = "button", ...rest }: ButtonLook & ComponentProps<"button">) {
  return <button type={type} className={buttonClass({ variant, size, className })} {...rest} />;
}

/** Returns the classes of a button, for links and menu triggers that look like one. */
export function buttonClass({ variant, size, className }: ButtonLook = {}): string {
  const classes = variant === "link" ? ["link"] : ["button", variant, size];
  return [...classes, className].filter((name) => name !== undefined).join(" ");
}
