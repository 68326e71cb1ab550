/** Positions of a definition's options in its file. */
import type { FileStep } from "./format.js";
import type { Path, Source } from "./source.js";

/** Options with another name in a file. */
const RENAMED: Readonly<Record<string, Path>> = {
  max: ["repeat", "max"],
  delay: ["repeat", "delay"],
  for: ["sleep"],
  signal: ["wait"],
  child: ["child"],
};
const PLAIN = ["id", "kind", "timeout", "onTimeout", "concurrency", "datasets"];
const RETRY = ["attempts", "delay", "factor", "maxDelay"];

export function originsOf(source: Source, path: Path, { needs = [], after = [] }: FileStep): Record<string, string> {
  const names: (readonly [string, Path])[] = [
    ...Object.entries(RENAMED),
    ...PLAIN.map((name) => [name, [name]] as const),
    ...RETRY.map((name) => [`retry.${name}`, ["retry", name]] as const),
    ...Object.entries(namesOf(needs)).map(([name], index) => {
      return [`needs.${name}`, ["needs", Array.isArray(needs) ? index : name]] as const;
    }),
    ...after.map((_, index) => [`after[${index}]`, ["after", index]] as const),
  ];
  return Object.fromEntries(names.map(([at, part]) => [at, source.origin([...path, ...part])]));
}

/** In a list, each step is its own name. */
export function namesOf(needs: readonly string[] | Readonly<Record<string, string>>): Record<string, string> {
  if (!Array.isArray(needs)) return { ...(needs as Readonly<Record<string, string>>) };
  return Object.fromEntries((needs as readonly string[]).map((id) => [id, id]));
}
