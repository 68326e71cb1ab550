import { isSecretReference } from "../../workflow/secret-reference.js";
import { FatalStepError } from "../../workflow/step-errors.js";
import type { StepSecrets } from "../../workflow/step-tools.js";

/** Resolves secret references right before use: plans hold references only, and data is never a reference (S1). */
export async function resolveSecrets(
  values: Readonly<Record<string, unknown>>,
  secrets: StepSecrets,
): Promise<Record<string, string>> {
  const resolved = Object.entries(values).map(async ([name, value]) => {
    if (typeof value === "string") return [name, value] as const;
    if (!isSecretReference(value)) throw notText(name);
    return [name, `${value.prefix ?? ""}${await secrets.get(value.secret)}`] as const;
  });
  return Object.fromEntries(await Promise.all(resolved));
}

function notText(name: string): FatalStepError {
  return new FatalStepError(
    "SETTING_INVALID",
    `${name} is not text. Return a string, or a reference that secret("name") made.`,
  );
}
