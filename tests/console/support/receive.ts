/** A webhook that receives what a subscription of the site sends. */
import { onTestFinished } from "vitest";
import { Receiver } from "../../outbox/receiver.js";
import type { Site } from "./site.js";

const KEY = "whsec_c2VjcmV0LXNlY3JldA==";

/** Its subscriptions name the signing key `hook`. */
export async function receive({ ledger }: Site): Promise<Receiver> {
  const receiver = await new Receiver(KEY).start();
  const secrets = { resolve: async () => ({ hook: KEY, "lineage-hook": KEY }) };
  const outbox = ledger.outbox({ secrets, allowAddresses: ["127.0.0.1"], pollMs: 20, onAlert: () => {} });
  onTestFinished(async () => {
    await outbox.stop();
    await receiver.stop();
  });
  return receiver;
}
