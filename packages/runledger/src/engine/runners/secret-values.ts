import type { StepSecrets, TextOrSecret } from "../step-tools.js";

/** Plans hold references only (S1): values come in at the last moment. */
export async function resolveSecrets(
  values: Readonly<Record<string, TextOrSecret>>,
  secrets: StepSecrets,
): Promise<Record<string, string>> {
  const resolved = Object.entries(values).map(async ([name, value]) => {
    if (typeof value === "string") return [name, value] as const;
    return [name, `${value.prefix ?? ""}${await secrets.get(value.secret)}`] as const;
  });
  return Object.fromEntries(await Promise.all(resolved));
}
