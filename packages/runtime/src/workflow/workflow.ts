import { omitUndefined } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { BodyBuilder } from "./body-builder.js";
import { attach } from "./compiled-workflow.js";
import { dropUndefined } from "./drop-undefined.js";
import { checkHeader } from "./known-options.js";
import type { Root } from "./step-handle.js";
import type { DefineWorkflow } from "./types.js";

/** Defines a workflow from a header and a function that adds its steps. Throws a PlanError that lists all problems. */
export const workflow: DefineWorkflow = (id, header, build) => {
  checkHeader(id, header);
  const root: Root = { workflowId: id, closures: new Map(), kinds: new Set() };
  const builder = new BodyBuilder(root, "");
  const body = builder.body(build(builder as never));
  const { version, deadline, approval, compensateOn, partitions, input, signals = {}, state, visibility } = header;
  const { failureHandler: onFailure } = builder;
  const plan = compilePlan(
    { id, body, ...omitUndefined({ version, deadline, approval, compensateOn, partitions, onFailure }) },
    { kinds: [...root.kinds] },
  );
  const made = { id, version: plan.planVersion };
  const initialState = dropUndefined(state?.initial);
  attach(made, { plan, closures: root.closures, input, signals, initialState, ...omitUndefined({ visibility }) });
  return made as never;
};
