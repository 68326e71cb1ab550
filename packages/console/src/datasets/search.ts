export interface DatasetSearch {
  readonly namespace?: string;
  readonly name?: string;
}

export interface DatasetsSearch {
  /** A part of the name. */
  readonly text?: string;
}

export function readDatasetSearch({ namespace, name }: Record<string, unknown>): DatasetSearch {
  return { ...(isText(namespace) && { namespace }), ...(isText(name) && { name }) };
}

export function readDatasetsSearch({ text }: Record<string, unknown>): DatasetsSearch {
  return isText(text) ? { text } : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
