// @module-tag D-20
/** The nodes of a dbt step are rows below it, although the plan does not contain them (D11). */
import { evolveAll, initialState } from "@runledger/core";
import { planOf, started, done, work } from "@runledger/test-support/decide";
import { numbered, run } from "@runledger/test-support/given";
import { expect, test } from "vitest";
import { Attempts } from "./attempts.js";
import { rowsOf, viewRow, type ViewSource } from "./make-view.js";
import type { ViewQuery } from "./view.js";

const plan = planOf([work("load"), { ...work("build"), kind: "function" }]);
const node = (name: string, kind: string) => started(`build/${name}`, { inner: { kind, after: [] } });
const events = numbered([
  run("Started"),
  started("load"),
  done("load"),
  started("build"),
  node("model.a", "model"),
  done("build/model.a"),
  node("test.a", "test"),
]);
const state = evolveAll(initialState("r"), events);
const source = { plan, state, attempts: new Attempts(), eventsTo: 0, groups: null, scale: {} } as unknown as ViewSource;
const query = (more: Partial<ViewQuery>): ViewQuery => ({
  seq: null,
  open: [],
  find: "",
  zoom: null,
  statuses: [],
  from: 0,
  to: 20,
  step: null,
  frames: [],
  ...more,
});
const labels = (look: ViewQuery) => rowsOf(source, look).map(({ label, depth }) => `${" ".repeat(depth)}${label}`);

test("D11: inner steps are listed below their step once it is open", () => {
  expect(labels(query({}))).toEqual(["load", "build"]);
  expect(labels(query({ open: ["build", "load"] }))).toEqual(["load", "build", " model.a", " test.a"]);
});

test("D11: an inner step has its own kind and status, and its step counts it", () => {
  const open = query({ open: ["build"] });
  const [load, build, model, check] = rowsOf(source, open).map((place) => viewRow(place, source, open));
  expect(load!.container).toBeNull();
  expect(build).toMatchObject({
    kind: "function",
    container: { isOpen: true, canOpen: true, tally: { done: 1, running: 1 } },
  });
  expect(model).toMatchObject({ kind: "model", status: "SUCCESS", container: null });
  expect(check).toMatchObject({ kind: "test", status: "RUNNING" });
});

test("D11: the filter finds inner steps in closed steps", () => {
  expect(labels(query({ find: "model" }))).toEqual(["build/model.a"]);
  expect(labels(query({ statuses: ["RUNNING"] }))).toEqual(["build", "build/test.a"]);
});
