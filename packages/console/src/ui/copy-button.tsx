import { useState } from "react";
import { Button } from "./button.js";
import { copy } from "./copy.js";
import { toastError } from "./toasts.js";

interface CopyButtonProps {
  /** Called on click, because the text may be large. */
  readonly text: () => string;
  /** The accessible name, for example "Copy error". */
  readonly label: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Button
      variant="plain"
      size="small"
      className="copy"
      aria-label={isCopied ? "Copied" : label}
      onClick={() => void copy(text()).then(() => setCopied(true), toastError)}
    >
      {isCopied ? "Copied" : "Copy"}
    </Button>
  );
}
