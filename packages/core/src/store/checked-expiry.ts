/** The port `expiry` as callers see it. */
import { checkIdentifier, type ArtifactExpiry } from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

export function checkedExpiry(expiry: ArtifactExpiry, open: AssertOpen): ArtifactExpiry {
  const named = (field: string, value: string) => [open, () => checkIdentifier(field, value)];
  const whole = (field: string, value: number) => () => checkWhole(field, value, 0);
  return {
    listToExpire: (params) =>
      after([...named("tenantId", params.tenantId), whole("limit", params.limit ?? 1)], () =>
        expiry.listToExpire(params),
      ),
    expireArtifacts: (params) =>
      after([...named("runId", params.runId), whole("nextInMs", params.nextInMs ?? 0)], () =>
        expiry.expireArtifacts(params),
      ),
    listExpired: (params) => after(named("runId", params.runId), () => expiry.listExpired(params)),
    listUnswept: (params) =>
      after([...named("location", params.location), whole("limit", params.limit ?? 1)], () =>
        expiry.listUnswept(params),
      ),
    markSwept: (params) => after([open], () => expiry.markSwept(params)),
  };
}
