export const NODE_EXISTS = -110;

const NAMES: Readonly<Record<number, string>> = {
  [-101]: "a node is missing",
  [-103]: "a node was changed by another client",
  [NODE_EXISTS]: "a node exists already",
  [-102]: "the credentials do not allow this",
  [-112]: "the session has expired",
  [-115]: "the credentials were refused",
};

/** The server refused a request. */
export class ZookeeperError extends Error {
  constructor(readonly code: number) {
    super(NAMES[code] ?? `error ${code}`);
  }
}
