import type { Connection } from "@temporalio/client";
import { SEARCH_ATTRIBUTES, type SearchAttribute } from "../messages.js";

/** The type `Keyword` in Temporal's protocol. */
const KEYWORD = 2;
/** A worker does not wait longer for them. */
const LONGEST_WAIT_MS = 10_000;

/** Returns those of our search attributes that the namespace defines. A cluster that refuses to list them has none. */
export async function definedAttributes(
  connection: Connection,
  namespace: string,
): Promise<readonly SearchAttribute[]> {
  try {
    const list = () => connection.operatorService.listSearchAttributes({ namespace });
    const { customAttributes } = await connection.withDeadline(Date.now() + LONGEST_WAIT_MS, list);
    return SEARCH_ATTRIBUTES.filter((name) => Number(customAttributes[name]) === KEYWORD);
  } catch {
    return []; // runs do not depend on them
  }
}
