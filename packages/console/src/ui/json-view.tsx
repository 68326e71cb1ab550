/** Shows JSON as a tree with collapsible branches. */
import { useState } from "react";
import { Button } from "./button.js";
import { CopyButton } from "./copy-button.js";
import { count, counted } from "./format.js";
import { hiddenText } from "./hidden-text.js";
import { Icon } from "./icon.js";

interface JsonViewProps {
  readonly value: unknown;
  readonly whenAbsent: string;
}

export function JsonView({ value, whenAbsent }: JsonViewProps) {
  if (value === undefined) return <p className="quiet">{whenAbsent}</p>;
  const hidden = hiddenText(value);
  if (hidden !== null) return <p className="quiet">{hidden}</p>;
  return (
    <div className="json" tabIndex={0} role="group" aria-label="JSON">
      <CopyButton label="Copy JSON" text={() => JSON.stringify(value, null, 2)} />
      <Node value={value} name={null} depth={isLarge(value) ? OPEN_DEPTH : 0} />
    </div>
  );
}

/** Branches that are deeper or longer start collapsed. A large document starts fully collapsed. */
const OPEN_DEPTH = 3;
const OPEN_SIZE = 50;
const LARGE = 300;
const MORE = 200;
/** Longer texts are truncated until the reader expands them. */
const MAX_CHARACTERS = 2000;

function isLarge(value: unknown): boolean {
  let left = LARGE;
  const walk = (part: unknown): boolean =>
    typeof part === "object" && part !== null && Object.values(part).some((inner) => --left < 0 || walk(inner));
  return walk(value);
}

interface NodeProps {
  readonly value: unknown;
  readonly name: string | null;
  readonly depth: number;
}

function Node({ value, name, depth }: NodeProps) {
  const hidden = hiddenText(value);
  if (hidden !== null || typeof value !== "object" || value === null)
    return (
      <div className="json-line">
        <Name name={name} />
        {hidden === null ? <Scalar value={value} /> : <span className="quiet">{hidden}</span>}
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
        <Icon name={isOpen ? "down" : "right"} size={10} />
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
        <Button variant="link" onClick={() => setShown(shown + MORE)}>
          {count(entries.length - shown)} more
        </Button>
      )}
    </>
  );
}

function Name({ name }: { readonly name: string | null }) {
  return name === null ? null : <bdi className="json-name">{name}</bdi>;
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === "string") return <Text value={value} />;
  return <span className="json-value">{String(value)}</span>;
}

function Text({ value }: { readonly value: string }) {
  const [isWhole, setWhole] = useState(value.length <= MAX_CHARACTERS);
  return (
    <bdi className="json-text">
      {value === "" ? '""' : isWhole ? value : `${value.slice(0, MAX_CHARACTERS)}…`}
      {!isWhole && (
        <Button variant="link" onClick={() => setWhole(true)}>
          {counted(value.length - MAX_CHARACTERS, "more character")}
        </Button>
      )}
    </bdi>
  );
}
