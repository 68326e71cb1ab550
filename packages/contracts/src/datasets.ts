/** The datasets that a step reads and writes: declared with the step, or found by its runner. */
export interface DatasetUses {
  readonly reads?: readonly DatasetUse[];
  readonly writes?: readonly DatasetUse[];
}

/** A table, file or topic, identified by namespace and name. */
export type DatasetUse = {
  /** Such as `shop.orders`. */
  readonly name: string;
  /** The system that holds it, such as `postgres://db:5432`. Defaults to `runledger`. */
  readonly namespace?: string;
  readonly fields?: readonly DatasetField[];
  /** For each column that is written, the columns that it is computed from. */
  readonly columns?: Readonly<Record<string, readonly DatasetColumn[]>>;
  /** Rows that were written. */
  readonly rows?: number;
  /** Bytes that were written. */
  readonly bytes?: number;
  /** The dataset is stale if its last write is older. */
  readonly freshForMs?: number;
};

export type DatasetField = {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
};

export type DatasetColumn = {
  /** Name of the dataset that is read. */
  readonly dataset: string;
  readonly namespace?: string;
  readonly column: string;
};

/** The namespace of a dataset that names none. */
export const DATASET_NAMESPACE = "runledger";

/** Identifies a dataset: its namespace and name. */
export interface DatasetName {
  readonly namespace: string;
  readonly name: string;
}

export function datasetName({ namespace = DATASET_NAMESPACE, name }: DatasetUse): DatasetName {
  return { namespace, name };
}
