import { InputError } from "./errors/families.js";

/** A reference to a secret. Plans hold references only, never values (S1). */
export interface SecretRef {
  readonly name: string;
  /** Which version to resolve; absent = the current one. */
  readonly version?: string;
}

/** Resolves references next to the step that needs them, never in the engine (execution-semantics 2). */
export interface ISecretsProvider {
  resolve(
    refs: readonly SecretRef[],
    ctx: { readonly tenantId: string; readonly environmentId: string },
  ): Promise<Record<string, string>>;
}

/** A shorter value would be found, and replaced, in the middle of innocent words (S1). */
export const MIN_SECRET_LENGTH = 8;

/** S1: only what can be told from other text is a secret. */
export function checkSecret(name: string, value: string | undefined): string {
  if (value === undefined)
    throw new InputError("SECRET_NOT_FOUND", `secret ${name}`, "nobody knows it; give it to the secrets provider.");
  if (value.length >= MIN_SECRET_LENGTH) return value;
  const message = `has fewer than ${MIN_SECRET_LENGTH} characters, too few to be kept out of logs; use a longer value.`;
  throw new InputError("SECRET_TOO_SHORT", `secret ${name}`, message);
}
