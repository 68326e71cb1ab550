/** Reads the files of the built console once and keeps them in memory. */
import { createHash } from "node:crypto";
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

export interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** Brotli-compressed content; `null` if compression does not pay off. */
  readonly brotli: Buffer | null;
  /** `true` if the file's name contains a hash of its content. */
  readonly isImmutable: boolean;
}

/** Files by path, such as `/assets/index-C1jEUM3J.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/plain; charset=utf-8",
};

/** Resolves to the same folder from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL("../../dist/web/", import.meta.url));

let files: ConsoleFiles | null = null;

/** Empty if the console was not built. */
export function consoleFiles(): ConsoleFiles {
  files ??= readFiles(FOLDER);
  return files;
}

function readFiles(folder: string): ConsoleFiles {
  const stored = new Set(list(folder).map((entry) => join(entry.parentPath, entry.name)));
  const paths = new Set([...stored].map((path) => path.replace(/\.br$/, "")));
  const texts = [...paths].filter((path) => TYPES[extname(path)] !== undefined);
  return new Map(
    texts.map((path) => [`/${relative(folder, path).split(sep).join("/")}`, readFile(path, stored.has(`${path}.br`))]),
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
  const brotli = isCompressed ? readFileSync(`${path}.br`) : null;
  const bytes = brotli === null ? readFileSync(path) : brotliDecompressSync(brotli);
  return {
    type: TYPES[extname(path)]!,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    bytes,
    brotli,
    isImmutable: path.includes(`${sep}assets${sep}`),
  };
}
