import type { CanonicalEngineEvent, EventLog, FullStateStore, IRunStateStore } from "@runledger/contracts";
import * as fc from "fast-check";
import { command, type Command } from "./command.js";
import { asTenant, eventFrom, eventSpecs, RUNS, runs, show, tenants } from "./event-specs.js";

const seqs = fc.integer({ min: 0, max: 5 });
const limits = fc.integer({ min: 1, max: 6 });

const scoped = (store: FullStateStore, tenant: string | undefined): IRunStateStore & EventLog =>
  tenant === undefined ? store : store.forTenant(tenant);

async function listOf(events: AsyncIterable<CanonicalEngineEvent>): Promise<CanonicalEngineEvent[]> {
  const list: CanonicalEngineEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const fetchCommand = fc
  .record({ runId: runs, afterSeq: seqs, limit: limits, tenant: tenants })
  .map(({ runId, afterSeq, limit, tenant }) => {
    const name = `fetch ${runId} after ${afterSeq} limit ${limit}${asTenant(tenant)}`;
    return command(name, (stores) =>
      stores.compare(name, (store) => scoped(store, tenant).fetchEvents(runId, { afterSeq, limit })),
    );
  });

const streamCommand = fc.record({ runId: runs, afterSeq: seqs, toSeq: seqs }).map(({ runId, afterSeq, toSeq }) => {
  const name = `stream ${runId} from ${afterSeq} to ${toSeq}`;
  return command(name, (stores) =>
    stores.compare(name, (store) => listOf(store.streamEvents(runId, { afterSeq, toSeq }))),
  );
});

const byKeysCommand = fc
  .record({ runId: runs, specs: fc.array(eventSpecs, { maxLength: 4 }), tenant: tenants })
  .map(({ runId, specs, tenant }) => {
    const name = `by keys in ${runId}: ${specs.map(show).join(" ")}`;
    return command(name, (stores) => {
      const keys = specs.map((spec) => eventFrom(stores, { ...spec, runId }).idempotencyKey);
      return stores.compare(name, (store) => scoped(store, tenant).fetchByKeys(runId, keys));
    });
  });

const headsCommand = fc
  .record({ runIds: fc.array(fc.constantFrom(...RUNS, "absent"), { maxLength: 4 }), tenant: tenants })
  .map(({ runIds, tenant }) => {
    const name = `heads of ${runIds.join()}`;
    return command(name, (stores) => stores.compare(name, (store) => scoped(store, tenant).fetchHeads(runIds)));
  });

const listCommand = fc
  .record({ after: fc.constantFrom("", "run-1", "m"), limit: limits, archived: fc.boolean(), tenant: tenants })
  .map(({ after, limit, archived, tenant }) => {
    const name = `list heads after "${after}" limit ${limit}${archived ? " archived" : ""}`;
    const options = { limit, archived, ...(after === "" ? {} : { afterRunId: after }) };
    return command(name, (stores) => stores.compare(name, (store) => scoped(store, tenant).listHeads(options)));
  });

export const readCommands: readonly fc.Arbitrary<Command>[] = [
  fetchCommand,
  streamCommand,
  byKeysCommand,
  headsCommand,
  listCommand,
];
