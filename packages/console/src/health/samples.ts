/** Collects health samples while the page is open. The server keeps no history of them. */
import type { Health } from "@runledger/client";
import { useEffect, useState } from "react";

/** Samples to keep: four minutes. */
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

/** Leaves out samples without the value. */
export function valuesOf(samples: readonly Health[], value: (sample: Health) => number | null): readonly number[] {
  return samples.flatMap((sample) => value(sample) ?? []);
}

/** Returns the growth of a total per second between samples. Leaves out a total that shrank, because the process restarted. */
export function ratesOf(samples: readonly Health[], total: (sample: Health) => number | null): readonly number[] {
  return samples.slice(1).flatMap((sample, index) => {
    const before = samples[index]!;
    const [old, now] = [total(before), total(sample)];
    const seconds = (Date.parse(sample.at) - Date.parse(before.at)) / 1000;
    return old === null || now === null || now < old || seconds <= 0 ? [] : [(now - old) / seconds];
  });
}
