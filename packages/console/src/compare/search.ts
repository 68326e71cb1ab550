/** The two runs to compare, stored in the URL. */
export interface CompareSearch {
  readonly a?: string;
  readonly b?: string;
}

export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  const { a, b } = search;
  return { ...(typeof a === "string" && { a }), ...(typeof b === "string" && { b }) };
}
