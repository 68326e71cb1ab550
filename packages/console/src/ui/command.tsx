import { CopyButton } from "./copy-button.js";

/** A line for a terminal. */
export function Command({ line }: { readonly line: string }) {
  return (
    <div className="command">
      <code>{line}</code>
      <CopyButton label="Copy the command" text={() => line} />
    </div>
  );
}
