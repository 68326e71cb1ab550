/**
 * Keeps secrets out of everything that is written.
 *  S1  Replaces a secret in an event, error or log before it is written. The redactor learns the values that the provider
 *      knows when the worker starts, and others before the step receives them. It remembers them for the worker's lifetime.
 */
import type { Json } from "@runledger/contracts";
import { CUT } from "../workflow/cut.js";
import { longestOverlap, MIN_BEGINNING, exactly, replaced, spanning, spellingOf, type Needle } from "./needles.js";
import { RedactedLines } from "./redacted-lines.js";
import { redactValue } from "./redact-value.js";
import { spellings } from "./secret-spellings.js";

export class Redactor {
  #needles: readonly Needle[] = [];

  /** The name by which a secret was resolved first is shown. It replaces a guessed name. */
  add(name: string, value: string, { isGuess = false }: { readonly isGuess?: boolean } = {}): void {
    const instead = `[secret ${name}]`;
    const known = new Set(this.#needles.filter((needle) => !needle.isGuess).map(({ key }) => key));
    const fresh = spellings(value).filter(({ key }) => !known.has(key));
    if (fresh.length === 0) return;
    const keys = new Set(fresh.map(({ key }) => key));
    const others = this.#needles.filter(({ key }) => !keys.has(key));
    this.#needles = longestFirst([...others, ...fresh.map((spelling) => ({ ...spelling, instead, isGuess }))]);
  }

  joined(others: readonly Redactor[]): Redactor {
    const all = new Redactor();
    all.#needles = longestFirst([this, ...others].flatMap((redactor) => redactor.#needles));
    return all;
  }

  text(text: string): string {
    const clean = replaced(text, this.#needles);
    return clean.includes(CUT) ? this.#withoutBeginnings(clean) : clean;
  }

  /** Removes the beginning of a secret in front of a cut. */
  #withoutBeginnings(text: string): string {
    const parts = text.split(CUT);
    const last = parts.pop()!;
    return [...parts.map((part) => part.slice(0, part.length - this.#beginning(part))), last].join(CUT);
  }

  #beginning(text: string): number {
    const length = longestOverlap(text, this.#needles);
    return length < MIN_BEGINNING ? 0 : length;
  }

  /** Returns the same value if nothing was replaced. */
  json(value: Json): Json {
    return this.#needles.length === 0 ? value : redactValue(value, (text) => this.text(text));
  }

  /** Redacts text in chunks, including secrets split across chunks. */
  textStream(): RedactedStream {
    return new RedactedStream(() => this.#needles);
  }

  /** Redacts secrets that are split across lines. */
  lines<L extends { readonly text: string }>(): RedactedLines<L> {
    return new RedactedLines(() => this.#needles);
  }

  /** Redacts bytes, one character per byte. */
  byteStream(): RedactedStream {
    let known: readonly Needle[] = [];
    let bytes: readonly Needle[] = [];
    return new RedactedStream(() => {
      if (known !== this.#needles) bytes = this.#needles.map(asBytes);
      known = this.#needles;
      return bytes;
    });
  }
}

/** If one secret contains another, the longer one is replaced first. */
function longestFirst(needles: readonly Needle[]): readonly Needle[] {
  return needles.toSorted((a, b) => b.key.length - a.key.length);
}

function asBytes(needle: Needle): Needle {
  const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
  const instead = bytes(needle.instead);
  if (needle.exact !== null) return { ...needle, ...exactly(bytes(needle.exact)), instead };
  return { ...needle, ...spellingOf(needle.characters.map((forms) => forms.map(bytes))), instead };
}

export class RedactedStream {
  readonly #needles: () => readonly Needle[];
  #held = "";

  constructor(needles: () => readonly Needle[]) {
    this.#needles = needles;
  }

  /** Returns the text that can be written now. Holds back a suffix that may be the start of a secret. */
  push(piece: string): string {
    const needles = this.#needles();
    const text = this.#held + piece;
    const ready = beforeMatch(text, text.length - longestOverlap(text, needles), needles);
    this.#held = text.slice(ready);
    return replaced(text.slice(0, ready), needles);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return replaced(rest, this.#needles());
  }
}

/** Moves a place in front of secrets that span it. One of them may be a part of a longer secret that is not complete. */
function beforeMatch(text: string, place: number, needles: readonly Needle[]): number {
  if (place === text.length) return place;
  const starts = needles.flatMap((needle) => spanning(text, place, needle)?.at ?? []);
  return starts.length === 0 ? place : beforeMatch(text, Math.min(...starts), needles);
}
