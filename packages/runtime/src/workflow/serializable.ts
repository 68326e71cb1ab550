import type { Json } from "@runledger/contracts";

/** A type that nothing is assignable to; the editor shows its text at the offending property. */
export type NotJson<Why extends string> = `does not survive JSON: ${Why}`;

/** `O` if it survives JSON; otherwise a NotJson with the reason at the offending property. */
export type Serializable<O> = 0 extends 1 & O
  ? O // any: the author opted out
  : unknown extends O
    ? NotJson<"unknown, give it a type or a schema">
    : O extends
          Json | undefined | void // includes Json itself, on which the last line would recurse forever
      ? O
      : O extends Date
        ? NotJson<"a Date, return date.toISOString()">
        : O extends bigint
          ? NotJson<"a bigint, return value.toString()">
          : O extends symbol
            ? NotJson<"a symbol">
            : O extends (...args: never) => unknown
              ? NotJson<"a function, return data only">
              : O extends ReadonlyMap<unknown, unknown>
                ? NotJson<"a Map, return Object.fromEntries(map)">
                : O extends ReadonlySet<unknown>
                  ? NotJson<"a Set, return [...set]">
                  : O extends ArrayBuffer | ArrayBufferView
                    ? NotJson<"bytes, write an artifact">
                    : O extends Error
                      ? NotJson<"an Error, throw it or return its message">
                      : O extends Promise<unknown>
                        ? NotJson<"a Promise, await it">
                        : O extends AsyncIterable<unknown>
                          ? NotJson<"a stream, write an artifact">
                          : { [K in keyof O]: Serializable<O[K]> };

/**
 * The return type of a handler, sync or async. The intersection infers O from its left half and checks the right half.
 * (`O extends Serializable<O>` is a circular constraint; a check on the whole function fixes O to unknown before TypeScript
 * sees a context-sensitive arrow.)
 */
export type Returns<O> = (O & Serializable<O>) | Promise<O & Serializable<O>>;
