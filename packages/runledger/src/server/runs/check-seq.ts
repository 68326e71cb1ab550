import { InputError, type RunHead } from "@runledger/contracts";

/** What has not happened yet cannot be shown. */
export function checkSeq({ headSeq }: RunHead, seq = headSeq): number {
  if (seq <= headSeq) return seq;
  throw new InputError("REQUEST_INVALID", "query.atSeq", `the run is at seq ${headSeq}; ask for one up to it.`);
}
