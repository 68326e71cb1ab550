import { ProblemError } from "@runledger/client";

/** A part of the console (a page's code, a worker) could not be loaded, because the server did not respond. */
export class ServerUnreachableError extends Error {}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ServerUnreachableError || (error instanceof ProblemError && error.status === 0);
}

/** Resolves to `true` if the server responds, with any status. */
export function isServerThere(): Promise<boolean> {
  return fetch("/healthz", { cache: "no-store" }).then(
    () => true,
    () => false,
  );
}
