import { InputError } from "./errors/families.js";

/** A reference to a secret. Plans contain references only, never values (S1). */
export interface SecretRef {
  readonly name: string;
  /** The version to resolve. Absent for the current one. */
  readonly version?: string;
}

/** The run for which a secret is resolved. */
export interface SecretContext {
  readonly tenantId: string;
  readonly environmentId: string;
}

/** Resolves references where the step runs, never in the engine. */
export interface ISecretsProvider {
  resolve(refs: readonly SecretRef[], ctx: SecretContext): Promise<Record<string, string>>;
  /** Returns the values that the provider already has, by name. A worker redacts them from its start (S1). */
  known?(): Readonly<Record<string, string>>;
}

/** Shorter values would also match, and be replaced, inside ordinary words (S1). */
export const MIN_SECRET_LENGTH = 8;

/** S1: accepts only values that redaction can distinguish from ordinary text. */
export function checkSecret(name: string, value: string | undefined): string {
  if (value === undefined)
    throw new InputError(
      "SECRET_NOT_FOUND",
      `secret ${name}`,
      "is not known to the secrets provider. Define it there.",
    );
  if (value.length >= MIN_SECRET_LENGTH) return value;
  const message = `has fewer than ${MIN_SECRET_LENGTH} characters, too few to redact it safely from logs. Use a longer value.`;
  throw new InputError("SECRET_TOO_SHORT", `secret ${name}`, message);
}
