/** Generates the procedures as SQL: @runledger/core and the adapter, bundled into self-contained bodies. */
import { bundleOf } from "./core-bundle.mjs";
import { inRepository } from "./repository.mjs";

const folder = inRepository("packages/store-snowflake/src/procedures");

/** Polyfills for Snowflake, which has an older version of the language and no platform APIs. */
const BANNER = `
Object.hasOwn = Object.hasOwn || function (o, k) { return Object.prototype.hasOwnProperty.call(o, k); };
Array.prototype.at = Array.prototype.at || function (i) { return this[i < 0 ? this.length + i : i]; };
var TextEncoder = function () {};
TextEncoder.prototype.encode = function (text) {
  var bytes = unescape(encodeURIComponent(text)), out = new Uint8Array(bytes.length);
  for (var i = 0; i < bytes.length; i++) out[i] = bytes.charCodeAt(i);
  return out;
};`.trim();

/** @param {string} module @returns {Promise<string>} */
async function body(module) {
  const code = await bundleOf(`export * from ${JSON.stringify(`${folder}/${module}`)};`, {
    format: "iife",
    globalName: "runledger",
    platform: "neutral",
    target: "es2019",
    banner: { js: BANNER },
  });
  if (code.includes("$$")) throw new Error(`${module} cannot be quoted: it holds the quote itself`);
  return code.trim();
}

const ONE = [
  ["RUNID", "STRING", "runId"],
  ["EVENTID", "STRING", "eventId"],
  ["STEPID", "STRING", "stepId"],
  ["ENGINEATTEMPTID", "STRING", "engineAttemptId"],
  ["LOGICALATTEMPTID", "STRING", "logicalAttemptId"],
  ["EVENTTYPE", "STRING", "eventType"],
  ["EVENTDATA", "VARIANT", "eventData"],
  ["IDEMPOTENCYKEY", "STRING", "idempotencyKey"],
  ["CAUSEDBYSIGNALID", "STRING", "causedBySignalId"],
  ["PARENTEVENTID", "STRING", "parentEventId"],
  ["EMITTEDAT", "TIMESTAMP_NTZ", "emittedAt"],
  ["ADAPTERVERSION", "STRING", "adapterVersion"],
  ["ENGINERUNREF", "VARIANT", "engineRunRef"],
  ["PLANVERSION", "STRING", "planVersion"],
  ["PLANID", "STRING", "planId"],
];

/** @param {"hybrid" | "standard"} shape @returns {Promise<string>} the whole migration */
export async function proceduresSql(shape) {
  const append = await body("append-events.ts");
  const project = await body("project-snapshot.ts");
  const parameters = ONE.map(([name, type]) => `P_${name} ${type}`).join(", ");
  const given = ONE.map(([name, , field]) => `${field}: P_${name}`).join(", ");
  return `-- oldest-code: 1
-- Generated from @runledger/core and this package by npm run snowflake:procedures; not written by hand.

CREATE OR REPLACE PROCEDURE APPEND_EVENTS(EVENTS ARRAY, OPTIONS VARIANT)
RETURNS VARIANT LANGUAGE JAVASCRIPT EXECUTE AS CALLER AS $$
${append}
return runledger.appendEvents(snowflake, "${shape}", EVENTS, OPTIONS || {});
$$;

CREATE OR REPLACE PROCEDURE APPEND_EVENT(${parameters})
RETURNS VARIANT LANGUAGE JAVASCRIPT EXECUTE AS CALLER AS $$
${append}
return runledger.appendEvent(snowflake, "${shape}", { ${given} });
$$;

CREATE OR REPLACE FUNCTION PROJECT_SNAPSHOT(EVENTS ARRAY)
RETURNS VARIANT LANGUAGE JAVASCRIPT IMMUTABLE AS $$
${project}
return runledger.projectSnapshot(EVENTS);
$$;
`;
}
