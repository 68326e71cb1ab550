/** The port `triggers` as callers see it. */
import {
  checkedJson,
  checkIdentifier,
  type TriggerDefinition,
  type TriggerName,
  type TriggerStore,
} from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

/** Enough for several long expressions. */
const MAX_DEFINITION_BYTES = 64 * 1024;

const named = (field: string, value: string) => () => checkIdentifier(field, value);
const whole = (limit: number) => () => checkWhole("limit", limit, 1);
const defined = (definition: TriggerDefinition) => () =>
  void checkedJson("definition", definition, MAX_DEFINITION_BYTES);

export function checkedTriggers(triggers: TriggerStore, open: AssertOpen): TriggerStore {
  const name = ({ tenantId, triggerId }: TriggerName) => [
    open,
    named("tenantId", tenantId),
    named("triggerId", triggerId),
  ];
  return {
    createTrigger: (params) =>
      after([...name(params), defined(params.definition)], () => triggers.createTrigger(params)),
    getTrigger: (wanted) => after(name(wanted), () => triggers.getTrigger(wanted)),
    listTriggers: (params) =>
      after([open, named("tenantId", params.tenantId), whole(params.limit ?? 1)], () => triggers.listTriggers(params)),
    listActive: (params) => after([open, whole(params.limit ?? 1)], () => triggers.listActive(params)),
    changeTrigger: (wanted, definition) =>
      after([...name(wanted), defined(definition)], () => triggers.changeTrigger(wanted, definition)),
    pauseTrigger: (wanted, isPaused) => after(name(wanted), () => triggers.pauseTrigger(wanted, isPaused)),
    removeTrigger: (wanted) => after(name(wanted), () => triggers.removeTrigger(wanted)),
    reportEvents: (wanted, report) => after(name(wanted), () => triggers.reportEvents(wanted, report)),
    reportSource: (wanted, error) => after(name(wanted), () => triggers.reportSource(wanted, error)),
  };
}
