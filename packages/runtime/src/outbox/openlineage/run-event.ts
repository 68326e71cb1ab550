/** Run events of OpenLineage, as version 2-0-2 of its specification describes them. */
import type { Json } from "@runledger/contracts";

export type RunEventType = "START" | "RUNNING" | "COMPLETE" | "FAIL" | "ABORT" | "OTHER";

export type Facet = { readonly _producer: string; readonly _schemaURL: string; readonly [field: string]: Json };

export type Facets = Readonly<Record<string, Facet>>;

export interface LineageJob {
  readonly namespace: string;
  readonly name: string;
}

export interface LineageDataset {
  readonly namespace: string;
  readonly name: string;
  readonly facets: Facets;
}

export interface RunEvent {
  readonly eventType: RunEventType;
  readonly eventTime: string;
  readonly producer: string;
  readonly schemaURL: string;
  /** `runId` is a UUID. */
  readonly run: { readonly runId: string; readonly facets: Facets };
  readonly job: LineageJob & { readonly facets: Facets };
  readonly inputs: readonly LineageDataset[];
  readonly outputs: readonly (LineageDataset & { readonly outputFacets: Facets })[];
}

export const PRODUCER = "https://github.com/runledger/runledger";

const SPEC = "https://openlineage.io/spec";

export const RUN_EVENT_SCHEMA = `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`;

/** The versions of the facets that are sent. */
const VERSIONS = {
  ColumnLineageDatasetFacet: "1-2-0",
  ErrorMessageRunFacet: "1-0-1",
  JobTypeJobFacet: "2-0-4",
  NominalTimeRunFacet: "1-0-1",
  OutputStatisticsOutputDatasetFacet: "1-0-2",
  ParentRunFacet: "1-2-0",
  ProcessingEngineRunFacet: "1-1-1",
  SchemaDatasetFacet: "1-2-0",
} as const;

export function facet(name: keyof typeof VERSIONS, fields: Readonly<Record<string, Json>>): Facet {
  return { _producer: PRODUCER, _schemaURL: `${SPEC}/facets/${VERSIONS[name]}/${name}.json#/$defs/${name}`, ...fields };
}
