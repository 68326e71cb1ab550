/** The built console: a few files that are read once and kept. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, type Dirent } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** As it travels to who takes brotli; null = it was not worth it. */
  readonly brotli: Buffer | null;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

/** By path, as in `/assets/index-C1jEUM3J.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/plain; charset=utf-8",
};

/** The same place for the sources and for what is built of them. */
const FOLDER = fileURLToPath(new URL("../../../dist/console/", import.meta.url));

let files: ConsoleFiles | null = null;

/** Empty = the console was not built. */
export function consoleFiles(): ConsoleFiles {
  files ??= readFiles(FOLDER);
  return files;
}

function readFiles(folder: string): ConsoleFiles {
  const paths = list(folder).map((entry) => join(entry.parentPath, entry.name));
  const known = new Set(paths);
  const texts = paths.filter((path) => TYPES[extname(path)] !== undefined);
  return new Map(
    texts.map((path) => [`/${relative(folder, path).split(sep).join("/")}`, readFile(path, known.has(`${path}.br`))]),
  );
}

function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function readFile(path: string, isCompressed: boolean): ConsoleFile {
  const bytes = readFileSync(path);
  return {
    type: TYPES[extname(path)]!,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    bytes,
    brotli: isCompressed ? readFileSync(`${path}.br`) : null,
    isImmutable: path.includes(`${sep}assets${sep}`),
  };
}
