import { StringDecoder } from "node:string_decoder";
import type { RedactedStream } from "../redactor.js";

/** Maximum length of a line. */
const MAX_LINE = 64 * 1024;

/** Splits a stream into lines. Redacts before splitting, because a secret may span lines and chunks (S1). */
export class Lines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #clean: RedactedStream;
  #rest = "";

  constructor(clean: RedactedStream) {
    this.#clean = clean;
  }

  push(bytes: Buffer): string[] {
    return this.#cut(this.#clean.push(this.#decoder.write(bytes)));
  }

  end(): string[] {
    const lines = this.#cut(this.#clean.push(this.#decoder.end()) + this.#clean.end());
    const last = this.#rest;
    this.#rest = "";
    return last === "" ? lines : [...lines, last];
  }

  #cut(text: string): string[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    while (this.#rest.length > MAX_LINE) {
      lines.push(this.#rest.slice(0, MAX_LINE));
      this.#rest = this.#rest.slice(MAX_LINE);
    }
    return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
}
