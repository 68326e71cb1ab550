import { userInfo } from "node:os";

/** Who works on a store itself: there is no server that would know them. A container's user may have a number and no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? ""}`;
  }
}
