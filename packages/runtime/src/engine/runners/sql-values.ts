/**
 * Parses result values so that they survive JSON: numbers that JavaScript would round, times and bytes stay PostgreSQL's
 * text.
 */
import { types } from "pg";

const PARSED = new Set<number>([
  types.builtins.BOOL,
  types.builtins.INT2,
  types.builtins.INT4,
  types.builtins.OID,
  types.builtins.JSON,
  types.builtins.JSONB,
]);
const FLOATS = new Set<number>([types.builtins.FLOAT4, types.builtins.FLOAT8]);
/** boolean[], smallint[], integer[], text[], varchar[]. */
const ARRAYS = new Set<number>([1000, 1005, 1007, 1009, 1015]);

type Parser = (text: string) => unknown;
const driverParser = types.getTypeParser as (oid: number) => Parser;

export const jsonParsers = {
  getTypeParser: ((oid: number): Parser => {
    if (FLOATS.has(oid)) return float;
    return PARSED.has(oid) || ARRAYS.has(oid) ? driverParser(oid) : asText;
  }) as typeof types.getTypeParser,
};

function float(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function asText(text: string): string {
  return text;
}
