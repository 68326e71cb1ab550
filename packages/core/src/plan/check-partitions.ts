import {
  checkIdentifier,
  partitionKinds,
  type InputError,
  type Partitions,
  type PlanProblem,
} from "@runledger/contracts";
import type { Definition } from "./definition.js";
import { MAX_PARTITION_KEY, partitionPlace } from "./partition-keys.js";
import { problemAt } from "./problems.js";
import { isTimeZone } from "./time-zone.js";

const MAX_KEYS = 1000;

const OPTIONS: Readonly<Record<Partitions["by"], readonly string[]>> = {
  day: ["by", "start", "end", "timeZone"],
  hour: ["by", "start", "end"],
  key: ["by", "keys"],
};
const EXAMPLES = { day: "a day such as 2026-01-01", hour: "an hour such as 2026-01-01T00, or a day" };

type Fault = readonly [option: string, message: string];

export function* checkPartitions(definition: Definition): Generator<PlanProblem> {
  const { partitions } = definition;
  if (partitions === undefined) return;
  for (const [option, fault] of faults(partitions)) {
    const at = option === "" ? "partitions" : `partitions.${option}`;
    yield problemAt(definition, "", "PLAN_OPTION_INVALID", `${at} ${fault}`, at.replace(/\[\d+\]$/, ""));
  }
}

/** Definitions come from files and JavaScript, so every value can be of any type. */
function* faults(partitions: Partitions): Generator<Fault, void, undefined> {
  if (typeof partitions !== "object" || partitions === null)
    return yield ["", 'must be an object such as { by: "day" }.'];
  const { by } = partitions;
  if (!partitionKinds.includes(by)) return yield ["by", `must be one of ${partitionKinds.join(", ")}.`];
  const unknown = Object.keys(partitions).find((name) => !OPTIONS[by].includes(name));
  if (unknown !== undefined)
    yield [unknown, `has no effect by ${by}. Remove it; the options are ${OPTIONS[by].join(", ")}.`];
  yield* partitions.by === "key" ? keyFaults(partitions.keys) : timeFaults(partitions);
}

function* timeFaults(partitions: Exclude<Partitions, { by: "key" }>): Generator<Fault, void, undefined> {
  const { by, start, end } = partitions;
  const place = (key: unknown): number | null => (typeof key === "string" ? partitionPlace(partitions, key) : null);
  if (place(start) === null) yield ["start", `must be ${EXAMPLES[by]}.`];
  if (end !== undefined && place(end) === null) yield ["end", `must be ${EXAMPLES[by]}.`];
  else if (end !== undefined && place(end)! < (place(start) ?? 0)) yield ["end", `is before start, which is ${start}.`];
  const timeZone = by === "day" ? partitions.timeZone : undefined;
  if (timeZone === undefined || isTimeZone(timeZone)) return;
  yield ["timeZone", "is not a time zone. Use a name such as Europe/Berlin or UTC."];
}

function* keyFaults(keys: unknown): Generator<Fault, void, undefined> {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS)
    return yield ["keys", `must be a list of 1 to ${MAX_KEYS} keys.`];
  for (const [index, key] of keys.entries()) {
    const fault = keyFault(key) ?? (keys.indexOf(key) < index ? "is listed twice. Remove one of them." : null);
    if (fault !== null) yield [`keys[${index}]`, fault];
  }
}

function keyFault(key: unknown): string | null {
  try {
    checkIdentifier("key", key);
  } catch (error) {
    return (error as InputError).message.replace(/^key:? /, "");
  }
  return key.length > MAX_PARTITION_KEY ? `has ${key.length} characters. Use at most ${MAX_PARTITION_KEY}.` : null;
}
