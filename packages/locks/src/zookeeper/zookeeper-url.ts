import { InputError } from "@runledger/contracts";

export interface ZookeeperTarget {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  /** `user:password`, or `null` without credentials. */
  readonly digest: string | null;
  readonly root: string;
}

const DEFAULT_PORT = 2181;
const URL_PARTS = /^zookeeper:\/\/(?:([^@/]*)@)?([^/@?#]+)(\/[^?#]*)?$/;
const HOST = /^([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i;

/** The URL may have several hosts, so `URL` cannot read it. The message does not repeat it: it may contain a password. */
export function parseZookeeperUrl(url: string): ZookeeperTarget {
  const [, user, hosts = "", path = ""] = URL_PARTS.exec(url) ?? [];
  const servers = hosts.split(",").map((host) => {
    const [, name, port = String(DEFAULT_PORT)] = HOST.exec(host) ?? [];
    if (name === undefined)
      throw new InputError("OPTION_INVALID", "lock", "must be zookeeper://user:password@host:2181,host:2181/path.");
    return { host: name.replaceAll(/[[\]]/g, ""), port: Number(port) };
  });
  const digest = user === undefined ? null : decodeURIComponent(user);
  return { servers, digest, root: path.replace(/\/+$/, "") || "/runledger" };
}
