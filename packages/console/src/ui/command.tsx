import { CopyButton } from "./copy-button.js";

/** A shell command with a copy button. */
export function Command({ line }: { readonly line: string }) {
  return (
    <div className="command">
      <code>{line}</code>
      <CopyButton label="Copy command" text={() => line} />
    </div>
  );
}
