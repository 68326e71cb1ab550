/** What the page has been told since it was opened: the server remembers nothing for it. */
import type { Health } from "@runledger/client";
import { useEffect, useState } from "react";

/** Four minutes. */
const KEPT = 120;

/** Oldest first. */
export function useSamples(newest: Health | undefined): readonly Health[] {
  const [samples, setSamples] = useState<readonly Health[]>([]);
  useEffect(() => {
    if (newest === undefined) return;
    setSamples((known) => (known.at(-1)?.at === newest.at ? known : [...known.slice(1 - KEPT), newest]));
  }, [newest]);
  return samples;
}

/** Without those in which it was not known. */
export function valuesOf(samples: readonly Health[], value: (sample: Health) => number | null): readonly number[] {
  return samples.flatMap((sample) => value(sample) ?? []);
}

/** How much a total grew per second from each answer to the next. One that shrank belongs to a process that began anew. */
export function ratesOf(samples: readonly Health[], total: (sample: Health) => number | null): readonly number[] {
  return samples.slice(1).flatMap((sample, index) => {
    const before = samples[index]!;
    const [old, now] = [total(before), total(sample)];
    const seconds = (Date.parse(sample.at) - Date.parse(before.at)) / 1000;
    return old === null || now === null || now < old || seconds <= 0 ? [] : [(now - old) / seconds];
  });
}
