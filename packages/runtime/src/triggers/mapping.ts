/** Compiles the expressions of a trigger, and computes from an event which run to start. */
import { InputError, type Json, type TriggerDefinition } from "@runledger/contracts";
import { compileExpression, type Expression, type Wanted } from "../yaml/cel.js";
import { ExpressionError } from "../yaml/expression-error.js";
import { toText } from "../yaml/template.js";
import { isStorable, type ReadEvent, type TriggerEvent } from "./received-event.js";

export interface MappedEvent {
  readonly key: string;
  readonly input: Json;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly concurrencyKey: string | undefined;
}

export interface TriggerMapping {
  /** Returns `null` if the filter excludes the event. Throws TRIGGER_EVENT_INVALID. */
  map(read: ReadEvent): MappedEvent | null;
}

type Compiled = (event: TriggerEvent) => Json;

const VISIBLE = { needs: [], more: ["event"], isolated: true };
const MAX_KEY_LENGTH = 1000;
const MAX_LABEL_LENGTH = 255;

/** Throws TRIGGER_INVALID. */
export function compileMapping(definition: TriggerDefinition): TriggerMapping {
  const { filter, input, key, labels, concurrencyKey } = definition;
  const selects = compiled("filter", filter, "condition");
  const toInput = compiled("input", input, "value");
  const toKey = compiled("key", key, "value");
  const toConcurrencyKey = compiled("concurrencyKey", concurrencyKey, "value");
  const toLabels = labels && compiledLabels(labels);
  return {
    map: ({ event, key: own }) => {
      if (selects?.(event) === false) return null;
      return {
        key: toKey === undefined ? own : textOf("key", toKey(event)),
        input: toInput === undefined ? event.data : toInput(event),
        labels: toLabels?.(event),
        concurrencyKey: toConcurrencyKey && textOf("concurrencyKey", toConcurrencyKey(event)),
      };
    },
  };
}

function compiledLabels(labels: Readonly<Record<string, string>>) {
  const all = Object.entries(labels).map(([name, text]) => [name, compiled(`labels.${name}`, text, "value")!] as const);
  return (event: TriggerEvent): Readonly<Record<string, string>> =>
    Object.fromEntries(all.map(([name, value]) => [name, textOf(`labels.${name}`, value(event), MAX_LABEL_LENGTH)]));
}

function compiled(field: string, text: string | undefined, wanted: Wanted): Compiled | undefined {
  if (text === undefined) return undefined;
  const expression = attempt("TRIGGER_INVALID", field, (): Expression => compileExpression(text, VISIBLE, wanted));
  return (event) => attempt("TRIGGER_EVENT_INVALID", field, () => expression({ event }));
}

function textOf(field: string, value: Json, maxLength = MAX_KEY_LENGTH): string {
  const text = attempt("TRIGGER_EVENT_INVALID", field, () => toText(value));
  if (isStorable(text, maxLength)) return text;
  throw new InputError("TRIGGER_EVENT_INVALID", field, `must be a text of 1 to ${maxLength} characters.`);
}

function attempt<T>(code: "TRIGGER_INVALID" | "TRIGGER_EVENT_INVALID", field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ExpressionError) throw new InputError(code, field, error.message);
    throw error;
  }
}
