/** Headers of a request and variables of a command: text, computed text, or a literal reference to a secret. */
import { markLiteral, type SecretReference } from "../workflow/secret-reference.js";
import type { Scope } from "./cel.js";
import type { Path } from "./source.js";
import { toText, type Template } from "./template.js";

type Written = Readonly<Record<string, unknown>>;
type Setting = (scope: Scope) => string | SecretReference;

/** Only a `{ secret }` in the file becomes a reference. A computed value must be text (S1). */
export function compileSettings(
  written: Written,
  path: Path,
  template: (path: Path) => Template,
): (scope: Scope) => Readonly<Record<string, string | SecretReference>> {
  const settings = Object.entries(written).map(
    ([name, value]) => [name, compileSetting(value, () => template([...path, name]))] as const,
  );
  return (scope) => Object.fromEntries(settings.map(([name, setting]) => [name, setting(scope)]));
}

function compileSetting(value: unknown, template: () => Template): Setting {
  const literal = markLiteral(value);
  if (literal !== value) return () => literal as SecretReference;
  const compute = template();
  return (scope) => toText(compute(scope));
}
