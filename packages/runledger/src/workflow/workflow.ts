import { compilePlan } from "@runledger/core";
import { BodyBuilder } from "./body-builder.js";
import { attach } from "./compiled-workflow.js";
import { present } from "./present.js";
import type { Root } from "./step-handle.js";
import type { DefineWorkflow } from "./types.js";

/** A workflow: its header, and a function that lays out its steps. Throws a PlanError that says all that is wrong. */
export const workflow: DefineWorkflow = (id, header, build) => {
  const root: Root = { workflowId: id, closures: new Map(), kinds: new Set() };
  const builder = new BodyBuilder(root, "");
  const body = builder.body(build(builder as never));
  const { version, deadline, approval, input, signals = {}, state } = header;
  const plan = compilePlan({ id, body, ...present({ version, deadline, approval }) }, { kinds: [...root.kinds] });
  const made = { id, version: plan.planVersion };
  attach(made, { plan, closures: root.closures, input, signals, initialState: state?.initial });
  return made as never;
};
