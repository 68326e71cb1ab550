import { userInfo } from "node:os";

/** The sender of actions on a store, where no server identifies the caller. A user in a container may have no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? ""}`;
  }
}
