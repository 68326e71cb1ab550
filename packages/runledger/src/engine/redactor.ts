/**
 * Keeps resolved secrets out of everything that is written.
 *  S1  A resolved value that appears in an event, error or log is replaced before it is written. A value is known here
 *      before the step that asked for it gets it, and stays known for as long as this worker lives.
 */
import type { Json } from "@runledger/contracts";

interface Needle {
  readonly text: string;
  readonly instead: string;
}

export class Redactor {
  #needles: readonly Needle[] = [];

  add(name: string, value: string): void {
    const instead = `[secret ${name}]`;
    const known = new Set(this.#needles.map(({ text }) => text));
    const fresh = spellings(value).filter((text) => !known.has(text));
    // A secret inside another one: the longer is replaced whole.
    this.#needles = [...this.#needles, ...fresh.map((text) => ({ text, instead }))].sort(
      (a, b) => b.text.length - a.text.length,
    );
  }

  text(text: string): string {
    return this.#needles.reduce((rest, needle) => rest.replaceAll(needle.text, needle.instead), text);
  }

  /** The same value where nothing had to be replaced. */
  json(value: Json): Json {
    return this.#needles.length === 0 ? value : this.#walk(value);
  }

  /** For text that comes in pieces: a value that is cut in two is found too. */
  textStream(): RedactedStream {
    return new RedactedStream(() => this.#needles);
  }

  /** For bytes, each of them as one character. */
  byteStream(): RedactedStream {
    return new RedactedStream(() =>
      this.#needles.map(({ text, instead }) => ({ text: asBytes(text), instead: asBytes(instead) })),
    );
  }

  #walk(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return this.#array(value as readonly Json[]);
    const entries = Object.entries(value);
    const clean = entries.map(([key, part]) => [this.text(key), this.#walk(part)] as const);
    const changed = clean.some(([key, part], place) => key !== entries[place]![0] || part !== entries[place]![1]);
    return changed ? Object.fromEntries(clean) : value;
  }

  #array(values: readonly Json[]): Json {
    const clean = values.map((part) => this.#walk(part));
    return clean.some((part, place) => part !== values[place]) ? clean : values;
  }

  /** A secret of digits is one even where it was read as a number. */
  #number(value: number): Json {
    const text = String(value);
    const clean = this.text(text);
    return clean === text ? value : clean;
  }
}

/** As it is, and as JSON and an address would write it. */
function spellings(value: string): string[] {
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(Buffer.from(value).toString())])];
}

function asBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export class RedactedStream {
  readonly #needles: () => readonly Needle[];
  #held = "";

  constructor(needles: () => readonly Needle[]) {
    this.#needles = needles;
  }

  /** What may be written by now. An end that a secret could begin with is kept back until more is known. */
  push(piece: string): string {
    const needles = this.#needles();
    const text = needles.reduce((rest, needle) => rest.replaceAll(needle.text, needle.instead), this.#held + piece);
    const keep = Math.max(0, ...needles.map((needle) => overlap(text, needle.text)));
    this.#held = text.slice(text.length - keep);
    return text.slice(0, text.length - keep);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** The length of the longest end of `text` that `needle` begins with, short of all of it. */
function overlap(text: string, needle: string): number {
  for (let length = Math.min(needle.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(needle.slice(0, length))) return length;
  }
  return 0;
}
