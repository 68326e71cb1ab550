import type { Ledger } from "runledger";

/** Counts the reads of a ledger's servers through their caches, by result. */
export async function cacheReads({ metrics }: Ledger): Promise<Readonly<Record<string, number>>> {
  const families = (await metrics?.read()) ?? [];
  const { samples = [] } = families.find(({ name }) => name === "runledger_cache_reads_total") ?? {};
  return Object.fromEntries(samples.map(({ labels, value }) => [labels["result"] ?? "", value]));
}
