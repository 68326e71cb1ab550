// @module-tag B-06
import type { TriggerDefinition } from "@runledger/contracts";
import { expect, test } from "vitest";
import { compileMapping } from "./mapping.js";
import { readEvent } from "./received-event.js";

const definition = (parts: Partial<TriggerDefinition>): TriggerDefinition => ({
  source: { type: "webhook", secrets: ["key"] },
  workflow: "orders",
  projectId: "default",
  environmentId: "default",
  priority: 0,
  maxAttempts: 5,
  ...parts,
});
const order = { specversion: "1.0", id: "e1", source: "/shop", type: "order.created", data: { id: 7, country: "DE" } };
const read = readEvent({ headers: {}, body: JSON.stringify(order), id: "m", position: "p" });

test("CEL selects events and computes input, key, labels and concurrency key", () => {
  const mapping = compileMapping(
    definition({
      filter: 'event.type == "order.created"',
      input: '{"order": event.data.id, "at": event.source}',
      key: "event.data.id",
      labels: { country: "event.data.country" },
      concurrencyKey: '"country " + event.data.country',
    }),
  );
  expect(mapping.map(read)).toEqual({
    key: "7",
    input: { order: 7, at: "/shop" },
    labels: { country: "DE" },
    concurrencyKey: "country DE",
  });
});

test("without expressions the data is the input, and the event is the key", () => {
  const { input, key } = compileMapping(definition({})).map(read)!;
  expect([input, key]).toEqual([order.data, '["/shop","e1"]']);
  expect(compileMapping(definition({ filter: "event.data.id > 7" })).map(read)).toBeNull();
});

test("expressions that cannot work are refused when the trigger is saved", () => {
  const refused = (parts: Partial<TriggerDefinition>) => () => compileMapping(definition(parts));
  expect(refused({ filter: "event.type ==" })).toThrow(/^filter: /);
  expect(refused({ filter: "1 + 1" })).toThrow("filter: Expression returns int, not true or false.");
  expect(refused({ input: "input.x" })).toThrow("Available: event.");
  expect(refused({ labels: { team: "nothing" } })).toThrow(/^labels\.team: /);
});

test("an event that does not fit is refused, and the message names the expression", () => {
  const refused = (parts: Partial<TriggerDefinition>) => () => compileMapping(definition(parts)).map(read);
  expect(refused({ input: "event.data.missing.part" })).toThrow(/^input: /);
  expect(refused({ key: "event.data" })).toThrow("key: Expression returned an object, not text.");
  expect(refused({ filter: "event.data.id" })).toThrow("filter: Expression returned number, not true or false.");
  expect(refused({ labels: { a: '""' } })).toThrow("labels.a: must be a text of 1 to 255 characters.");
});
