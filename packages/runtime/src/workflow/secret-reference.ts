const mark = Symbol.for("runledger.secret");

/** A reference to a secret, made by `secret()`. Data never is one, because JSON cannot carry the mark (S1). */
export interface SecretReference {
  readonly [mark]: true;
  readonly secret: string;
  /** Text before the value, such as `Bearer `. */
  readonly prefix?: string;
}

/** Refers to a secret in a header or a variable. The worker resolves it right before the step uses it. */
export function secret(name: string, { prefix }: { readonly prefix?: string } = {}): SecretReference {
  return { [mark]: true, secret: name, ...(prefix === undefined ? {} : { prefix }) };
}

export function isSecretReference(value: unknown): value is SecretReference {
  return typeof value === "object" && value !== null && (value as { [mark]?: unknown })[mark] === true;
}

/** Marks the references that are written in a plan or a file. Call it for literals only, never for computed values. */
export function markLiteral(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("secret" in value)) return value;
  const { secret: name, prefix } = value as { readonly secret: string; readonly prefix?: string };
  return secret(name, prefix === undefined ? {} : { prefix });
}
