import { InputError, type LockService } from "@runledger/contracts";
import { redisLocks } from "./redis/redis-locks.js";
import { zookeeperLocks } from "./zookeeper/zookeeper-locks.js";

/**
 * Returns the locks of the server that `url` names: `redis://host:6379`, `rediss://…`, or `zookeeper://host:2181,host:2181`.
 * Connects when a lock is acquired.
 */
export function openLocks(url: string): LockService {
  const [, scheme] = /^(rediss?|zookeeper):\/\/[^/]/.exec(url) ?? [];
  if (scheme === "zookeeper") return zookeeperLocks({ url });
  if (scheme !== undefined && URL.canParse(url)) return redisLocks({ url });
  const form = "redis://host:6379, rediss://host:6379 or zookeeper://host:2181,host:2181";
  throw new InputError("OPTION_INVALID", "lock", `must be ${form}.`); // the URL may contain a password
}
