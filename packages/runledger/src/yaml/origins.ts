/** Where the options of a definition stand in its file. */
import type { FileStep } from "./format.js";
import type { Path, Source } from "./source.js";

/** Options that are called otherwise in a file. */
const WRITTEN: Readonly<Record<string, Path>> = {
  max: ["repeat", "max"],
  delay: ["repeat", "delay"],
  for: ["sleep"],
  signal: ["wait"],
  child: ["child"],
};
const PLAIN = ["id", "kind", "timeout", "onTimeout", "concurrency"];
const RETRY = ["attempts", "delay", "factor", "maxDelay"];

export function originsOf(source: Source, path: Path, { needs = [], after = [] }: FileStep): Record<string, string> {
  const names: (readonly [string, Path])[] = [
    ...Object.entries(WRITTEN),
    ...PLAIN.map((name) => [name, [name]] as const),
    ...RETRY.map((name) => [`retry.${name}`, ["retry", name]] as const),
    ...Object.entries(namesOf(needs)).map(([name], index) => {
      return [`needs.${name}`, ["needs", Array.isArray(needs) ? index : name]] as const;
    }),
    ...after.map((_, index) => [`after[${index}]`, ["after", index]] as const),
  ];
  return Object.fromEntries(names.map(([at, part]) => [at, source.origin([...path, ...part])]));
}

/** A list of steps is a list of names for them. */
export function namesOf(needs: readonly string[] | Readonly<Record<string, string>>): Record<string, string> {
  if (!Array.isArray(needs)) return { ...(needs as Readonly<Record<string, string>>) };
  return Object.fromEntries((needs as readonly string[]).map((id) => [id, id]));
}
