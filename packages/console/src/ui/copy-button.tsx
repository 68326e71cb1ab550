import { useState } from "react";
import { copy } from "./copy.js";
import { tellFailure } from "./toasts.js";

interface CopyButtonProps {
  /** Asked for when it is wanted: it may be large. */
  readonly text: () => string;
  /** What is copied, for who cannot see what it stands beside. */
  readonly label: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button plain small copy"
      aria-label={isCopied ? "Copied" : label}
      onClick={() => void copy(text()).then(() => setCopied(true), tellFailure)}
    >
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
