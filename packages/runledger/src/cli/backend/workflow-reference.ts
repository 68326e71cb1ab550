import { omitUndefined } from "@runledger/contracts";

/** Splits `nightly-orders@1.4.0` into workflow and version; the version is optional. */
export function parseWorkflowReference(reference: string): { readonly workflow: string; readonly version?: string } {
  const [workflow = "", version] = reference.split("@");
  return { workflow, ...omitUndefined({ version }) };
}
