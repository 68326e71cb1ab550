/** JSON as a tree that opens where it is looked at. */
import { useState } from "react";
import { count, counted } from "./format.js";
import { Glyph } from "./glyph.js";

interface JsonViewProps {
  readonly value: unknown;
  readonly whenAbsent: string;
}

export function JsonView({ value, whenAbsent }: JsonViewProps) {
  if (value === undefined) return <p className="quiet">{whenAbsent}</p>;
  return (
    <div className="json" tabIndex={0} role="group" aria-label="JSON">
      <Node value={value} name={null} depth={0} />
      <CopyButton text={JSON.stringify(value, null, 2)} />
    </div>
  );
}

/** Deeper parts are closed at first, and so is what is long. */
const OPEN_DEPTH = 3;
const OPEN_SIZE = 50;
const MORE = 200;

interface NodeProps {
  readonly value: unknown;
  readonly name: string | null;
  readonly depth: number;
}

function Node({ value, name, depth }: NodeProps) {
  if (typeof value !== "object" || value === null)
    return (
      <div className="json-line">
        <Name name={name} />
        <Scalar value={value} />
      </div>
    );
  return <Branch value={value} name={name} depth={depth} />;
}

function Branch({ value, name, depth }: NodeProps & { readonly value: object }) {
  const size = Object.keys(value).length;
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && size <= OPEN_SIZE);
  if (size === 0)
    return (
      <div className="json-line">
        <Name name={name} />
        {Array.isArray(value) ? "[]" : "{}"}
      </div>
    );
  if (name === null) return <Entries value={value} depth={depth} />;
  return (
    <div>
      <button type="button" className="json-line twisty" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Glyph name={isOpen ? "down" : "right"} size={10} />
        <Name name={name} />
        <span className="quiet">{counted(size, Array.isArray(value) ? "item" : "field")}</span>
      </button>
      {isOpen && (
        <div className="json-inner">
          <Entries value={value} depth={depth} />
        </div>
      )}
    </div>
  );
}

function Entries({ value, depth }: { readonly value: object; readonly depth: number }) {
  const entries = Object.entries(value);
  const [shown, setShown] = useState(MORE);
  return (
    <>
      {entries.slice(0, shown).map(([key, inner]) => (
        <Node key={key} name={key} value={inner} depth={depth + 1} />
      ))}
      {entries.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown + MORE)}>
          {count(entries.length - shown)} more
        </button>
      )}
    </>
  );
}

function Name({ name }: { readonly name: string | null }) {
  return name === null ? null : <span className="json-name">{name}</span>;
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === "string") return <span className="json-text">{value === "" ? '""' : value}</span>;
  return <span className="json-value">{String(value)}</span>;
}

function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button plain small copy"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
