/** Explains an error of the file system, such as a folder that is read-only. It is not a bug in Runledger. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied. Use a place that this user may read and write",
  EPERM: "operation not permitted. Use a place that this user may read and write",
  EROFS: "the file system is read-only. Use another place",
  ENOSPC: "no space left on the device. Free some space, or use another place",
  ENOTDIR: "a part of the path is a file, not a folder. Use another path",
  EISDIR: "it is a folder, not a file. Use another path",
  ENOENT: "it does not exist. Check the path",
  EEXIST: "it already exists. Use another path",
};

/** Returns `null` for any other error. */
export function fileErrorLine(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code = "", syscall = "", path = "" } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  if (reason === undefined || path === "") return null;
  return `OPTION_INVALID  cannot ${syscall} ${path}: ${reason} (${code}).`;
}
