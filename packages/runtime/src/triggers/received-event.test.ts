// @module-tag B-06
import { expect, test } from "vitest";
import { readEvent } from "./received-event.js";

const read = (body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readEvent({ headers, body: text, id: "message-1", position: "here" });
};
const cloudEvent = {
  specversion: "1.0",
  id: "e1",
  source: "/shop",
  type: "order.created",
  data: { n: 1 },
  region: "eu",
};

test("a structured CloudEvent is identified by its source and id, and keeps its extensions", () => {
  const { event, key } = read(cloudEvent, { "content-type": "application/cloudevents+json; charset=utf-8" });
  expect(event).toMatchObject({ id: "e1", type: "order.created", subject: null, data: { n: 1 }, region: "eu" });
  expect(key).toBe('["/shop","e1"]');
  expect(read(cloudEvent).key).toBe(key);
});

test.each(["-", "_"])("a CloudEvent in binary mode has its attributes in headers with ce%s", (separator) => {
  const named = { specversion: "1.0", id: "e%201", source: "/shop", type: "t" };
  const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [`ce${separator}${name}`, value]));
  expect(read({ n: 1 }, { ...headers, "content-type": "application/json" })).toEqual({
    event: expect.objectContaining({ id: "e 1", source: "/shop", data: { n: 1 } }) as object,
    key: '["/shop","e 1"]',
  });
  expect(read("<a/>", { ...headers, "content-type": "application/xml" }).event.data).toBe("<a/>");
  expect(read("", headers).event.data).toBeNull();
});

test("plain JSON is the data of an event with the id of its message", () => {
  expect(read([1, 2])).toEqual({
    event: { id: "message-1", type: null, source: null, subject: null, time: null, data: [1, 2] },
    key: "message-1",
  });
});

test.each<[string, unknown, Record<string, string>?]>([
  ["event: is not JSON.", "{"],
  ["event.specversion", { ...cloudEvent, specversion: "2.0" }],
  ["event.source", { ...cloudEvent, source: "" }],
  ["event.type", { ...cloudEvent, type: 7 }],
  ["event.id", { ...cloudEvent, id: "x".repeat(1001) }],
  ["event.id", { ...cloudEvent, id: null }],
  ["event: must be an object.", [1], { "content-type": "application/cloudevents+json" }],
  ["Send one event per message", [cloudEvent], { "content-type": "application/cloudevents-batch+json" }],
])("an event is refused: %s", (message, body, headers) => {
  expect(() => read(body, headers)).toThrow(message);
});
