import { checkIdentifier, InputError } from "@runledger/contracts";

export function checkWhole(field: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new InputError("OPTION_INVALID", field, `must be a whole number from ${least}.`);
}

export function checkIdentifiers(field: string, values: readonly string[]): void {
  if (!Array.isArray(values)) throw new InputError("OPTION_INVALID", field, "must be an array of identifiers.");
  values.forEach((value, index) => checkIdentifier(`${field}[${index}]`, value));
}
