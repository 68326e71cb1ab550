import type { OutboxStore } from "@runledger/contracts";
import type { Database } from "./client.js";
import { deadLetters } from "./dead-letters.js";
import { deliveries } from "./deliveries.js";
import { subscriptions } from "./subscriptions.js";

export function outbox(db: Database): OutboxStore {
  return { ...subscriptions(db), ...deliveries(db), ...deadLetters(db) };
}
