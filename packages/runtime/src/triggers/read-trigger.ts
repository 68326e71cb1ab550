/** Checks the options of triggers. */
import {
  checkIdentifier,
  InputError,
  omitUndefined,
  storableInstant,
  type SourceSettings,
  type TriggerDefinition,
} from "@runledger/contracts";
import { DATASET, readDatasetSettings } from "./dataset/dataset-source.js";
import type { SourceFactory } from "./event-source.js";
import { compileMapping } from "./mapping.js";
import { readWebhookSettings, WEBHOOK } from "./webhook/webhook-settings.js";

export interface TriggerTenantOption {
  /** Default `default`. */
  readonly tenantId?: string;
}

/** Expressions are CEL over `event`: its `id`, `type`, `source`, `subject`, `time`, `data` and extensions. */
export interface TriggerOptions extends TriggerTenantOption {
  readonly id: string;
  /** `{ type: "webhook", secrets, toleranceSeconds }`, `{ type: "dataset", name, namespace }`, or the type of a registered source and its settings. */
  readonly source: SourceSettings;
  /** Id of the workflow to start. */
  readonly workflow: string;
  /** Default: the version that was published last. */
  readonly version?: string;
  /** Selects events, as in `event.type == "order.created"`. Default: every event. */
  readonly filter?: string;
  /** Computes the input. Default: `event.data`. */
  readonly input?: string;
  /** Computes the key that has one run, as in `event.data.orderId`. Default: the source and the id of the event. */
  readonly key?: string;
  /** Compute labels of the run, by name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Computes the key of runs that run one at a time. */
  readonly concurrencyKey?: string;
  /** Project of the runs. Default `default`. */
  readonly projectId?: string;
  /** Environment of the runs. Default `default`. */
  readonly environmentId?: string;
  /** Priority of the runs. Default 0. */
  readonly priority?: number;
  /** Failed attempts after which an event of a broker is rejected. Default 5. */
  readonly maxAttempts?: number;
  /** The first events of a broker that start runs: `now` (default), `beginning` or a time. */
  readonly from?: string | Date;
}

type Sources = Readonly<Record<string, SourceFactory>>;

const DEFAULT_ATTEMPTS = 5;

export function readTrigger(options: TriggerOptions, sources: Sources): TriggerDefinition {
  const { source, workflow, version, filter, input, key, labels, concurrencyKey } = options;
  const { projectId = "default", environmentId = "default", priority = 0, maxAttempts = DEFAULT_ATTEMPTS } = options;
  checkSource(source, sources);
  checkIdentifier("workflow", workflow);
  for (const [field, value] of Object.entries({ projectId, environmentId, ...omitUndefined({ version }) }))
    checkIdentifier(field, value);
  for (const name of Object.keys(labels ?? {})) checkIdentifier(`labels.${name}`, name);
  checkRange("priority", priority, -1000, 1000);
  checkRange("maxAttempts", maxAttempts, 1, 100);
  const expressions = omitUndefined({ filter, input, key, labels, concurrencyKey });
  const place = { projectId, environmentId, priority };
  const definition = { source, workflow, ...omitUndefined({ version }), ...expressions, ...place, maxAttempts };
  compileMapping(definition);
  return definition;
}

/** Returns the time as a store takes it. */
export function readFrom(from: string | Date): string | null {
  if (from === "beginning") return null;
  if (from === "now") return "now";
  const instant = storableInstant(from instanceof Date ? from.getTime() : Date.parse(from));
  if (instant !== null) return instant;
  throw new InputError("TRIGGER_INVALID", "from", 'must be "beginning", "now" or an ISO 8601 time.');
}

/** A type that this process does not know may be known to another one, so only its name is checked. */
function checkSource(source: SourceSettings, sources: Sources): void {
  if (typeof source?.type !== "string" || source.type === "")
    throw new InputError("TRIGGER_INVALID", "source.type", 'must name a source, such as "webhook".');
  if (source.type === WEBHOOK) readWebhookSettings(source);
  else if (source.type === DATASET) readDatasetSettings(source);
  else sources[source.type]?.check?.(source);
}

function checkRange(field: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new InputError("TRIGGER_INVALID", field, `must be a whole number from ${least} to ${most}.`);
}
