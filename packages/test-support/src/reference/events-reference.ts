import { readFileSync } from "node:fs";
import { eventTypes } from "@runledger/contracts";
import { inRepository } from "../../../../scripts/lib/repository.mjs";
import { comment, readInterface, table } from "./read-interface.js";

const ENVELOPE = "packages/contracts/src/event.ts";
const DATA = "packages/contracts/src/event-data.ts";

/** Types that several events share. */
const PARTS = ["ErrorCause", "ForkOrigin", "Opened", "RunError"];

export function eventsReference(): string {
  return `<!-- Generated from ${ENVELOPE} and event-data.ts. Do not edit. -->

# Events

A run's log is a list of events, numbered from 1 without gaps. \`runledger events <run>\` prints them; \`run.events()\` and
\`GET /api/v1/runs/{runId}/events\` return them. All other data about a run is folded from them. Events of other types are stored and
numbered, and readers skip them.

## Every event

${table(readInterface(ENVELOPE, "CanonicalEngineEvent")!.members)}

An appended event has no \`runSeq\` and no \`persistedAt\`. It must have \`logicalAttemptId\` and \`planVersion\`, which the key needs. An
\`eventData\` in which a secret was replaced has \`redacted: true\`.

${eventTypes.map(eventSection).join("\n\n")}

## Shared types

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
  if (says === undefined) throw new Error(`${ENVELOPE} does not describe ${type}`);
  return comment(says);
}

function about(name: string): string {
  const { base, members } = readInterface(DATA, name)!;
  return table([...(base === "" ? [] : readInterface(DATA, base)!.members), ...members]);
}
