/** Reads the writes of a dataset. Each write starts one run, because the id of its event names run, step and attempt (Q1). */
import {
  DATASET_NAMESPACE,
  datasetFault,
  omitUndefined,
  type DatasetIndex,
  type DatasetName,
  type DatasetWrite,
  type SourceSettings,
} from "@runledger/contracts";
import { Notifier } from "../../time/notifier.js";
import type { Timers } from "../../time/timers.js";
import { wrongSetting, type ConsumeParams, type SourceFactory, type SourceMessage } from "../event-source.js";

/** The type of the source. Every process that consumes events has it. */
export const DATASET = "dataset";

const POLL_MS = 1000;
/** A write becomes visible at most this long after its recording time, because the store limits its transactions. */
const OVERLAP_MS = 600_000;
const FIRST_TIME = "1970-01-01T00:00:00.000Z";

/** Throws TRIGGER_INVALID. */
export function readDatasetSettings({ type: _, ...settings }: SourceSettings): DatasetName {
  const { name, namespace = DATASET_NAMESPACE, ...unknown } = settings;
  const [other] = Object.keys(unknown);
  if (other !== undefined) throw wrongSetting(other, "is not a setting of this source. It has name and namespace.");
  const fault = datasetFault([{ name, namespace }]);
  if (fault !== undefined) throw wrongSetting("name", `must name a dataset. It ${fault}`);
  return { name: name as string, namespace: namespace as string };
}

export function datasetSource(index: DatasetIndex, timers: Timers): SourceFactory {
  return {
    check: (settings) => void readDatasetSettings(settings),
    open: (settings, { trigger }) => {
      const dataset = { tenantId: trigger.tenantId, ...readDatasetSettings(settings) };
      const { triggerId, startsAt } = trigger;
      return {
        consume: async ({ handle, onReady, signal }: ConsumeParams) => {
          const notifier = new Notifier(timers);
          signal.addEventListener("abort", () => notifier.notify(), { once: true });
          for (let recordedFrom = startsAt ?? FIRST_TIME; !signal.aborted;) {
            const writes = await index.untakenWrites({ ...dataset, triggerId, recordedFrom });
            onReady();
            for (const write of writes) {
              if (signal.aborted) return;
              await handle(messageOf(write));
              await index.takeWrite({ ...write, ...dataset, triggerId });
            }
            recordedFrom = laterOf(recordedFrom, writes.at(-1));
            if (writes.length === 0) await notifier.wait(POLL_MS);
          }
        },
      };
    },
  };
}

/** Earlier writes have been taken, so they need not be read again. */
function laterOf(recordedFrom: string, last: DatasetWrite | undefined): string {
  if (last === undefined) return recordedFrom;
  const overlap = new Date(Date.parse(last.recordedAt) - OVERLAP_MS).toISOString();
  return overlap > recordedFrom ? overlap : recordedFrom;
}

/** A CloudEvent. */
function messageOf({ namespace, name, planId, runId, stepId, attempt, at, details }: DatasetWrite): SourceMessage {
  const id = `${runId}/${stepId}/${attempt}`;
  const { rows, bytes } = details;
  const event = {
    specversion: "1.0",
    id,
    source: `runledger:datasets/${namespace}/${name}`,
    type: "runledger.dataset.written",
    subject: name,
    time: at,
    data: { namespace, name, runId, stepId, attempt, workflow: planId, ...omitUndefined({ rows, bytes }) },
  };
  return { headers: {}, body: JSON.stringify(event), id, position: id, storedAt: Date.parse(at) };
}
