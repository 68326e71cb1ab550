import type { DatasetUse, DatasetUses } from "./datasets.js";

/** Maximum number of datasets that a step reads, and that it writes. */
export const MAX_DATASETS = 100;
/** Maximum length of the name and of the namespace of a dataset. */
export const MAX_DATASET_NAME = 255;
/** Maximum number of fields, and of columns, of a dataset. */
export const MAX_DATASET_FIELDS = 2000;
/** Maximum size of all datasets of a step, so that they fit into an event beside its output. */
export const MAX_DATASETS_BYTES = 64 * 1024;

const KEYS = ["name", "namespace", "fields", "columns", "rows", "bytes", "freshForMs"];
const FORBIDDEN = /[\p{Cc}\p{Surrogate}]/u;

/** Returns the problem of a list of datasets, as the rest of a sentence. `undefined` if there is none. */
export function datasetFault(datasets: readonly unknown[]): string | undefined {
  if (datasets.length > MAX_DATASETS) return `has ${datasets.length} datasets; the limit is ${MAX_DATASETS}.`;
  for (const [index, dataset] of datasets.entries()) {
    const fault = useFault(dataset);
    if (fault !== undefined) return `has the invalid dataset ${index}: ${fault}`;
  }
  const bytes = JSON.stringify(datasets).length;
  return bytes > MAX_DATASETS_BYTES
    ? `takes ${bytes} bytes; the limit is ${MAX_DATASETS_BYTES}. Name fewer fields and columns.`
    : undefined;
}

/** Returns the problem of the datasets of a step. `undefined` if there is none. A log may have values of any type. */
export function datasetUsesFault({ reads = [], writes = [] }: DatasetUses): string | undefined {
  for (const [list, datasets] of Object.entries({ reads, writes } as Readonly<Record<string, unknown>>)) {
    const fault = Array.isArray(datasets) ? datasetFault(datasets) : "must be a list.";
    if (fault !== undefined) return `datasets.${list} ${fault}`;
  }
  return undefined;
}

function useFault(dataset: unknown): string | undefined {
  if (typeof dataset !== "object" || dataset === null) return "it must be an object with a name.";
  const unknown = Object.keys(dataset).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `it has no option "${unknown}".`;
  const { name, namespace, fields, columns, rows, bytes, freshForMs } = dataset as DatasetUse;
  if (!isName(name)) return `name ${NO_NAME}`;
  if (namespace !== undefined && !isName(namespace)) return `namespace ${NO_NAME}`;
  for (const [key, value] of Object.entries({ rows, bytes, freshForMs }))
    if (value !== undefined && !isCount(value)) return `${key} must be a whole number from 0.`;
  if (fields !== undefined && !areFields(fields)) return `fields ${NO_FIELDS}`;
  return columns === undefined || areColumns(columns) ? undefined : `columns ${NO_COLUMNS}`;
}

const NO_NAME = `must be a text of 1 to ${MAX_DATASET_NAME} characters without control characters.`;
const NO_FIELDS = `must be a list of at most ${MAX_DATASET_FIELDS} objects with a name, and optionally a type and a description.`;
const NO_COLUMNS = `must map at most ${MAX_DATASET_FIELDS} columns to lists of { dataset, namespace, column }.`;

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= MAX_DATASET_NAME && !FORBIDDEN.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function areFields(fields: unknown): boolean {
  if (!Array.isArray(fields) || fields.length > MAX_DATASET_FIELDS) return false;
  return fields.every((field) => hasTexts(field, ["name"], ["type", "description"]));
}

function areColumns(columns: unknown): boolean {
  if (typeof columns !== "object" || columns === null || Array.isArray(columns)) return false;
  const lists = Object.values(columns) as readonly unknown[];
  const isSource = (from: unknown): boolean => hasTexts(from, ["dataset", "column"], ["namespace"]);
  return lists.length <= MAX_DATASET_FIELDS && lists.every((list) => Array.isArray(list) && list.every(isSource));
}

/** `true` for an object with these texts and no other properties. */
function hasTexts(value: unknown, required: readonly string[], optional: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const texts = value as Readonly<Record<string, unknown>>;
  const isText = (key: string): boolean => typeof texts[key] === "string";
  return (
    required.every(isText) &&
    optional.every((key) => texts[key] === undefined || isText(key)) &&
    Object.keys(texts).every((key) => required.includes(key) || optional.includes(key))
  );
}
