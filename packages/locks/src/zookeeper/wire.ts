/** The encoding of ZooKeeper's protocol: numbers are big-endian, texts and buffers have their length in front. */

export type Part =
  | { readonly int: number }
  | { readonly long: bigint }
  | { readonly text: string }
  | { readonly bytes: Buffer }
  | { readonly flag: boolean };

export function encode(parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.map(encodePart));
}

function encodePart(part: Part): Buffer {
  if ("int" in part) return int(part.int);
  if ("long" in part) return long(part.long);
  if ("flag" in part) return Buffer.from([part.flag ? 1 : 0]);
  const bytes = "text" in part ? Buffer.from(part.text) : part.bytes;
  return Buffer.concat([int(bytes.length), bytes]);
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** Reads a message from its start. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int(): number {
    return this.#bytes.readInt32BE(this.#move(4));
  }

  long(): bigint {
    return this.#bytes.readBigInt64BE(this.#move(8));
  }

  bytes(): Buffer {
    const length = Math.max(0, this.int()); // -1 is null
    return this.#bytes.subarray(this.#move(length), this.#at);
  }

  text(): string {
    return this.bytes().toString();
  }

  texts(): string[] {
    return Array.from({ length: this.int() }, () => this.text());
  }

  #move(length: number): number {
    const from = this.#at;
    this.#at += length;
    return from;
  }
}

/** Collects a stream into messages, each with its length in front. Throws what `receive` throws. */
export function messages(receive: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readInt32BE();
      if (length < 0) throw new Error(`the server sent a message of ${length} bytes`);
      const end = 4 + length;
      if (rest.length < end) return;
      receive(rest.subarray(4, end));
      rest = rest.subarray(end);
    }
  };
}

export function framed(message: Buffer): Buffer {
  return Buffer.concat([int(message.length), message]);
}
