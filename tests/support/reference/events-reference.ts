import { readFileSync } from "node:fs";
import { eventTypes } from "@runledger/contracts";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { comment, readInterface, table } from "./read-interface.js";

const ENVELOPE = "packages/contracts/src/event.ts";
const DATA = "packages/contracts/src/event-data.ts";

/** Types that several events share. */
const PARTS = ["ForkOrigin", "Opened", "RunError"];

export function eventsReference(): string {
  return `<!-- Made from ${ENVELOPE} and event-data.ts; not written by hand. -->

# Events

A run's log is a list of these, numbered from 1 without gaps. \`runledger events <run>\` prints them, \`run.events()\` gives
them, \`GET /api/v1/runs/{runId}/events\` has them, and everything else that is shown is folded from them. A type that is not
listed here is kept, numbered and passed over.

## Every event

${table(readInterface(ENVELOPE, "CanonicalEngineEvent")!.members)}

Who appends leaves \`runSeq\` and \`persistedAt\` out and says \`logicalAttemptId\` and \`planVersion\`, which the key needs. An
\`eventData\` in which a secret was replaced has \`redacted: true\`.

${eventTypes.map(eventSection).join("\n\n")}

## Parts of them

${PARTS.map((name) => `### ${name}\n\n${about(name)}`).join("\n\n")}

A \`StepRange\` is a step's name, or \`{ container, from, to, step }\`: that step of the items \`from\` to \`to\`.
`;
}

function eventSection(type: string): string {
  const data = readInterface(DATA, `${type}Data`);
  return [`## ${type}`, saysOf(type), data === null ? "Its `eventData` is empty." : about(`${type}Data`)].join("\n\n");
}

function saysOf(type: string): string {
  const text = readFileSync(inRepository(ENVELOPE), "utf8");
  const [, says] = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*"${type}",`).exec(text) ?? [];
  if (says === undefined) throw new Error(`${ENVELOPE} does not say what ${type} means`);
  return comment(says);
}

function about(name: string): string {
  const { base, members } = readInterface(DATA, name)!;
  return table([...(base === "" ? [] : readInterface(DATA, base)!.members), ...members]);
}
