/** A workflow file as text and as data, with the position of every part. */
import { PlanError, type PlanProblem } from "@runledger/contracts";
import { isMap, isScalar, LineCounter, parseDocument, type Document, type Node } from "yaml";

export type Path = readonly (string | number)[];

export class Source {
  readonly file: string;
  readonly value: unknown;
  readonly #text: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** Parses YAML, which includes JSON. Throws a PlanError with all syntax errors. */
  constructor(text: string, file: string) {
    this.file = file;
    this.#text = text;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const problems = [...this.#document.errors, ...this.#document.warnings].map(({ message, pos: [offset] }) =>
      this.#syntax(message, offset),
    );
    const [first, ...rest] = problems;
    if (first !== undefined) throw new PlanError(file, [first, ...rest]);
    this.value = this.#toData();
  }

  /** Returns the position of a part, or of its parent if it is missing. */
  origin(path: Path): string {
    return this.#place(rangeOf(this.#nearest(path))[0]);
  }

  /** Returns the position of a field's name. */
  originOfKey(path: Path, key: string): string {
    const map = this.#nearest(path);
    const pair = isMap(map) ? map.items.find(({ key: name }) => isScalar(name) && name.value === key) : undefined;
    return this.#place(rangeOf((pair?.key as Node | undefined) ?? map)[0]);
  }

  /** Returns a position inside a string, or its start if the string is written with escapes or folded. */
  originInside(path: Path, offset: number): string {
    const node = this.#nearest(path);
    const [start, end] = rangeOf(node);
    const at = isScalar(node) ? this.#text.slice(start, end).indexOf(String(node.value)) : -1;
    return this.#place(at === -1 ? start : start + at + offset);
  }

  #nearest(path: Path): Node | null {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (node !== undefined && node !== null) return node as Node;
    }
    return this.#document.contents;
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.file}:${line}:${col}`;
  }

  #syntax(message: string, offset: number): PlanProblem {
    return { code: "PLAN_SYNTAX", step: "", message, origin: this.#place(offset) };
  }

  /** Limits aliases, which can expand to huge data. */
  #toData(): unknown {
    try {
      return this.#document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      throw new PlanError(this.file, [this.#syntax((error as Error).message, 0)]);
    }
  }
}

/** `node` is `null` for an empty file. */
function rangeOf(node: Node | null): readonly [start: number, end: number] {
  const [start, end] = node?.range ?? [0, 0];
  return [start, end];
}
