/** The port `outbox` as callers see it. */
import {
  checkedJson,
  checkIdentifier,
  type DeadLetterName,
  type OutboxStore,
  type SubscriptionDefinition,
  type SubscriptionName,
} from "@runledger/contracts";
import { checkIdentifiers, checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

/** Enough for a filter with hundreds of names. */
const MAX_DEFINITION_BYTES = 64 * 1024;

const named = (field: string, value: string) => () => checkIdentifier(field, value);
const whole = (field: string, value: number, least: number) => () => checkWhole(field, value, least);
const defined = (definition: SubscriptionDefinition) => () =>
  void checkedJson("definition", definition, MAX_DEFINITION_BYTES);

export function checkedOutbox(outbox: OutboxStore, open: AssertOpen): OutboxStore {
  const name = ({ tenantId, subscriptionId }: SubscriptionName) => [
    open,
    named("tenantId", tenantId),
    named("subscriptionId", subscriptionId),
  ];
  const letter = (wanted: DeadLetterName) => [...name(wanted), named("runId", wanted.runId)];
  const page = (tenantId: string, limit = 1) => [open, named("tenantId", tenantId), whole("limit", limit, 1)];
  return {
    createSubscription: (params) =>
      after([...name(params), defined(params.definition)], () => outbox.createSubscription(params)),
    getSubscription: (wanted) => after(name(wanted), () => outbox.getSubscription(wanted)),
    listSubscriptions: (params) => after(page(params.tenantId, params.limit), () => outbox.listSubscriptions(params)),
    changeSubscription: (wanted, definition) =>
      after([...name(wanted), defined(definition)], () => outbox.changeSubscription(wanted, definition)),
    pauseSubscription: (wanted, isPaused) => after(name(wanted), () => outbox.pauseSubscription(wanted, isPaused)),
    rewindSubscription: (wanted, startsAt) => after(name(wanted), () => outbox.rewindSubscription(wanted, startsAt)),
    removeSubscription: (wanted) => after(name(wanted), () => outbox.removeSubscription(wanted)),
    subscriptionStatus: (wanted) => after(name(wanted), () => outbox.subscriptionStatus(wanted)),
    hasSubscriptions: () => after([open], () => outbox.hasSubscriptions()),
    recordChanges: (changes) =>
      after(
        [
          open,
          () =>
            checkIdentifiers(
              "runIds",
              changes.map(({ runId }) => runId),
            ),
        ],
        () => outbox.recordChanges(changes),
      ),
    refill: () => after([open], () => outbox.refill()),
    fillNext: (params) => after([open, whole("limit", params.limit, 1)], () => outbox.fillNext(params)),
    claimDeliveries: (params) => {
      const { token, holdMs, perSubscription } = params;
      const checks = [named("token", token), whole("holdMs", holdMs, 1), whole("perSubscription", perSubscription, 1)];
      return after([open, ...checks], () => outbox.claimDeliveries(params));
    },
    saveDeliveries: (outcomes) => after([open], () => outbox.saveDeliveries(outcomes)),
    sweepDeliveries: () => after([open], () => outbox.sweepDeliveries()),
    listDeadLetters: (params) => after(page(params.tenantId, params.limit), () => outbox.listDeadLetters(params)),
    redriveDeadLetter: (wanted) => after(letter(wanted), () => outbox.redriveDeadLetter(wanted)),
    dropDeadLetter: (wanted) => after(letter(wanted), () => outbox.dropDeadLetter(wanted)),
  };
}
