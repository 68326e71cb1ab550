/** Rebuilds the graph of jobs, runs, datasets and columns from OpenLineage events, as a consumer would. */
import type { LineageEvent, ReceivedDataset, ReceivedJob } from "./lineage-receiver.js";

interface Run {
  readonly job: string;
  /** The event types in the order of their arrival, each once. */
  readonly states: string[];
  parent: string | null;
}

interface ColumnLineage {
  readonly fields: Record<
    string,
    { readonly inputFields: readonly { namespace: string; name: string; field: string }[] }
  >;
}

const idOf = ({ namespace, name }: ReceivedJob): string => `${namespace}|${name}`;

export class LineageGraph {
  readonly runs = new Map<string, Run>();
  readonly #reads = new Set<string>();
  readonly #writes = new Set<string>();
  readonly #columns = new Set<string>();
  readonly #schemas = new Map<string, unknown>();
  readonly #rows = new Map<string, unknown>();

  constructor(events: readonly LineageEvent[]) {
    for (const event of events) this.#add(event);
  }

  /** Edges such as `runledger|raw.orders -> prod|shop.extract`. */
  get edges(): readonly string[] {
    return [...this.#reads, ...this.#writes].sort();
  }

  /** Edges such as `runledger|raw.orders.id -> runledger|shop.orders.id`. */
  get columns(): readonly string[] {
    return [...this.#columns].sort();
  }

  schemaOf(dataset: string): unknown {
    return this.#schemas.get(dataset);
  }

  rowsOf(dataset: string): unknown {
    return this.#rows.get(dataset);
  }

  /** The states of each run of a job, in the order of their first events. */
  statesOf(job: string): readonly (readonly string[])[] {
    return [...this.runs.values()].filter((run) => run.job === job).map(({ states }) => states);
  }

  /** The jobs whose runs are children of runs of this job. */
  childrenOf(job: string): readonly string[] {
    const children = [...this.runs.values()].filter(
      ({ parent }) => parent !== null && this.runs.get(parent)?.job === job,
    );
    return [...new Set(children.map((child) => child.job))].sort();
  }

  #add({ eventType, run: { runId, facets }, job, inputs, outputs }: LineageEvent): void {
    const run = this.runs.get(runId) ?? { job: idOf(job), states: [], parent: null };
    this.runs.set(runId, run);
    if (!run.states.includes(eventType)) run.states.push(eventType);
    const parent = facets["parent"] as { readonly run: { readonly runId: string } } | undefined;
    run.parent ??= parent?.run.runId ?? null;
    for (const input of inputs) this.#reads.add(`${idOf(input)} -> ${idOf(job)}`);
    for (const output of outputs) this.#writes.add(`${idOf(job)} -> ${idOf(output)}`);
    for (const dataset of [...inputs, ...outputs]) this.#describe(dataset);
  }

  #describe(dataset: ReceivedDataset): void {
    const { facets, outputFacets } = dataset;
    const { fields = {} } = (facets["columnLineage"] ?? {}) as Partial<ColumnLineage>;
    for (const [column, { inputFields }] of Object.entries(fields))
      for (const { field, ...source } of inputFields)
        this.#columns.add(`${idOf(source)}.${field} -> ${idOf(dataset)}.${column}`);
    if (facets["schema"] !== undefined) this.#schemas.set(idOf(dataset), facets["schema"]["fields"]);
    if (outputFacets?.["outputStatistics"] !== undefined)
      this.#rows.set(idOf(dataset), outputFacets["outputStatistics"]["rowCount"]);
  }
}
