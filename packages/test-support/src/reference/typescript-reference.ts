/** Generates the reference of the TypeScript API: the types give the entries, tests/reference/examples the examples. */
import { readFileSync } from "node:fs";
import { filesBelow, inRepository } from "../../../../scripts/lib/repository.mjs";
import { table, type Member } from "./read-interface.js";
import { declarationOf, methodsOf, propertiesOf } from "./read-members.js";

const EXAMPLES = "tests/reference/examples";
const WORKFLOW = "packages/runtime/src/workflow/types.ts";
const LEDGER = "packages/runtime/src/ledger/ledger.ts";

interface Source {
  readonly file: string;
  readonly type: string;
  readonly leaveOut?: readonly string[];
}

/** Options inside of another one are printed with its name. */
const INSIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Retry: { attempts: "retry", delay: "retry", factor: "retry", maxDelay: "retry", unless: "retry" },
  WorkflowHeader: { schema: "state", initial: "state" },
};

interface Entry extends Member {
  /** The option that it is part of. */
  readonly inside?: string | undefined;
}

export interface Section {
  readonly title: string;
  readonly says: string;
  readonly examples: readonly string[];
  readonly entries: readonly Entry[];
}

/** The constructs of the builder, each with the file of its example. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  step: "step",
  command: "runners",
  sql: "runners",
  http: "runners",
  task: "runners",
  when: "when",
  forEach: "for-each",
  repeat: "repeat",
  waitForSignal: "wait-for-signal",
  sleep: "sleep",
  child: "child",
};

const from = (file: string, type: string, leaveOut?: readonly string[]): Source =>
  leaveOut === undefined ? { file, type } : { file, type, leaveOut };

const TYPES: readonly (Omit<Section, "entries"> & { readonly sources: readonly Source[] })[] = [
  {
    title: "`workflow(id, header, build)`",
    says: "The header describes a workflow. The function `build` adds steps and returns the step whose output is the result of the run.",
    examples: ["header"],
    sources: [from(WORKFLOW, "WorkflowHeader")],
  },
  {
    title: "Options of all steps",
    says: "Steps without a dependency between them run in parallel. Containers and waits have no `retry`, no `continueOnFailure` and no `datasets`.",
    examples: ["step-options", "datasets"],
    sources: [
      from(WORKFLOW, "StepOptions"),
      from(WORKFLOW, "AttemptOptions"),
      from(WORKFLOW, "DatasetOptions"),
      from(WORKFLOW, "Retry"),
      from(WORKFLOW, "SettleOption"),
    ],
  },
  {
    title: "Context of a step",
    says: "The function of a step gets one object. Conditions and other closures of the builder read `input`, `state`, `needs`, `schedule` and `partition` of it.",
    examples: ["context", "artifacts", "datasets"],
    sources: [
      from(WORKFLOW, "ReadContext", ["scheduleId", "tick"]),
      from(WORKFLOW, "Context"),
      from("packages/runtime/src/workflow/step-tools.ts", "StepTools"),
    ],
  },
  {
    title: "`w.onFailure(options, run)`",
    says: "Runs once before the run fails, after compensations. It cannot change the outcome.",
    examples: ["on-failure"],
    sources: [from(WORKFLOW, "FailureOptions"), from(WORKFLOW, "FailureContext")],
  },
  {
    title: "`connect(url, options)`",
    says: "Opens a ledger on `embedded:<folder>`, `postgres://…` or `memory:`; with an `engine` on Temporal also on `snowflake://…`.",
    examples: ["ledger"],
    sources: [from(LEDGER, "LedgerOptions", ["timers"])],
  },
  {
    title: "Options of `ledger.start`",
    says: "`ledger.start(workflow, { input, ...options })` returns the handle of a run.",
    examples: ["ledger"],
    sources: [from("packages/runtime/src/runs/start-run.ts", "StartOptions")],
  },
  {
    title: "Options of `ledger.fork`",
    says: "A fork also accepts `requestId`, `runId`, `priority`, `labels` and `by`.",
    examples: ["ledger"],
    sources: [from("packages/runtime/src/runs/fork-plan.ts", "ForkOptions")],
  },
  {
    title: "Options of `ledger.list`",
    says: "A run must match all options. Iterate over the list, or read pages with `page({ cursor, limit })`.",
    examples: ["ledger"],
    sources: [from("packages/runtime/src/ledger/run-list.ts", "ListOptions")],
  },
  {
    title: "Options of signals and actions",
    says: "`run.signal`, `run.cancel` and the other actions accept them, and `ledger.signal` and `ledger.act`, too.",
    examples: ["ledger", "run-handle"],
    sources: [from("packages/runtime/src/runs/signals.ts", "SendOptions")],
  },
  {
    title: "Options of `ledger.worker`",
    says: "`worker` of `runledger.config.ts` accepts the same options. `engine` runs the steps elsewhere: [From embedded to Temporal](../guides/temporal.md).",
    examples: ["worker"],
    sources: [
      from("packages/runtime/src/engine/worker.ts", "WorkerOptions"),
      from("packages/runtime/src/engine/runners.ts", "RunnerOptions"),
      from(LEDGER, "LedgerWorkerOptions", ["engine"]),
    ],
  },
  {
    title: "Options of `ledger.schedules.put`",
    says: "Set exactly one of `cron`, `every` and `at`. `workflow` and `input` select what runs.",
    examples: ["schedules"],
    sources: [
      from("packages/runtime/src/scheduler/definition.ts", "ScheduleOptions"),
      from("packages/runtime/src/scheduler/read-timing.ts", "TimingOptions"),
    ],
  },
  {
    title: "Options of `ledger.partitions`",
    says: "`list` accepts the range and the place, `backfill` all of them: [Partitions and backfills](../guides/partitions.md).",
    examples: ["partitions"],
    sources: [
      from("packages/runtime/src/partitions/select-partitions.ts", "PartitionSelection"),
      from("packages/runtime/src/partitions/ledger-partitions.ts", "PartitionPlaceOptions"),
      from("packages/runtime/src/partitions/backfill-partitions.ts", "PartitionBackfillOptions"),
    ],
  },
];

const CLASSES = [
  {
    title: "Ledger",
    on: "ledger",
    examples: ["ledger", "worker", "schedules", "partitions", "limits", "outbox", "triggers", "retention"],
    source: from(LEDGER, "Ledger"),
  },
  {
    title: "Run handle",
    on: "run",
    examples: ["run-handle"],
    source: from("packages/runtime/src/ledger/run-handle.ts", "RunHandle"),
  },
  {
    title: "`ledger.schedules`",
    on: "schedules",
    examples: ["schedules"],
    source: from("packages/runtime/src/scheduler/ledger-schedules.ts", "LedgerSchedules"),
  },
  {
    title: "`ledger.partitions`",
    on: "partitions",
    examples: ["partitions"],
    source: from("packages/runtime/src/partitions/ledger-partitions.ts", "LedgerPartitions"),
  },
  {
    title: "`ledger.queue`",
    on: "queue",
    examples: ["limits"],
    source: from("packages/runtime/src/queue/ledger-queue.ts", "LedgerQueue"),
  },
  {
    title: "`ledger.limits`",
    on: "limits",
    examples: ["limits"],
    source: from("packages/runtime/src/queue/ledger-queue.ts", "LedgerLimits"),
  },
  {
    title: "Artifacts of a step",
    on: "artifact",
    examples: ["artifacts"],
    source: from("packages/runtime/src/workflow/step-tools.ts", "StepArtifacts"),
  },
] as const;

/** Every section with its entries. A test requires a comment and an example for each. */
export function sections(): { readonly constructs: Section[]; readonly types: Section[]; readonly classes: Section[] } {
  return { constructs: constructSections(), types: TYPES.map(typeSection), classes: CLASSES.map(classSection) };
}

function typeSection({ sources, ...section }: (typeof TYPES)[number]): Section {
  const entries = sources.flatMap(({ file, type, leaveOut = [] }) =>
    propertiesOf(declarationOf(file, type))
      .filter(({ name }) => !leaveOut.includes(name))
      .map((entry) => ({ ...entry, inside: INSIDE[type]?.[entry.name] })),
  );
  return { ...section, entries };
}

function constructSections(): Section[] {
  return methodsOf(declarationOf(WORKFLOW, "Builder")).map(({ name, says, text }) => ({
    title: `\`w.${name}\``,
    says,
    examples: [CONSTRUCTS[name] ?? "missing"],
    entries: propertiesOf(text).filter((entry) => !["continueOnFailure", "output"].includes(entry.name)),
  }));
}

function classSection({ title, on, examples, source }: (typeof CLASSES)[number]): Section {
  const declaration = declarationOf(source.file, source.type);
  const ownLines = declaration.split("\n").filter((line) => /^ {2}(readonly|\/\*\*| \*)/.test(line));
  const properties = propertiesOf(ownLines.join("\n"));
  const methods = methodsOf(declaration).map((method) => ({ ...method, name: `${on}.${method.name}` }));
  return { title, says: "", examples, entries: [...properties, ...methods] };
}

export function exampleText(name: string): string {
  return readFileSync(inRepository(`${EXAMPLES}/${name}.ts`), "utf8").trim();
}

export const exampleNames = (): string[] => filesBelow(EXAMPLES).map((path) => path.slice(EXAMPLES.length + 1, -3));

export function typescriptReference(): string {
  const { constructs, types, classes } = sections();
  const [header, options, context, onFailure, ...ledger] = types;
  const shown = new Set<string>();
  const print = (section: Section): string => sectionText(section, shown);
  return `<!-- Generated from the types of packages/runtime and from tests/reference/examples. Do not edit. -->

# TypeScript

Every construct and option of the package \`runledger\`, with examples that a test compiles and runs. Durations are written \`"10s"\`,
\`"5m"\`, \`"3d"\`. The examples use \`testLedger\`, whose clock is virtual: [Test a pipeline](../guides/test-a-pipeline.md).

${[header!, options!, context!].map(print).join("\n\n")}

${constructs.map(print).join("\n\n")}

${[onFailure!, ...ledger].map(print).join("\n\n")}

${classes.map(print).join("\n\n")}
`;
}

/** An example that several sections share is printed once. */
function sectionText({ title, says, examples, entries }: Section, shown: Set<string>): string {
  const fresh = examples.filter((name) => !shown.has(name));
  fresh.forEach((name) => shown.add(name));
  const known = examples.filter((name) => !fresh.includes(name));
  const seen = known.length === 0 ? [] : [`Example: ${known.map((name) => `[${name}](#example-${name})`).join(", ")}.`];
  const blocks = fresh.map((name) => `### Example: ${name}\n\n\`\`\`ts no-run\n${exampleText(name)}\n\`\`\``);
  const methods = entries.filter(({ name }) => name.includes("."));
  const options = entries
    .filter(({ name }) => !name.includes("."))
    .map(({ inside, ...entry }) => ({ ...entry, name: inside === undefined ? entry.name : `${inside}.${entry.name}` }));
  return [
    `## ${title}`,
    ...(says === "" ? [] : [says]),
    ...(options.length === 0 ? [] : [table(options)]),
    ...(methods.length === 0 ? [] : [methodTable(methods)]),
    ...seen,
    ...blocks,
  ].join("\n\n");
}

function methodTable(methods: readonly Member[]): string {
  const rows = methods.map(({ name, says }) => `| \`${name}\` | ${says.replaceAll("|", String.raw`\|`)} |`);
  return ["| method | |", "| --- | --- |", ...rows].join("\n");
}
