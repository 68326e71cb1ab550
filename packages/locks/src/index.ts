// Signatures of this package mention these types.
export type * from "@runledger/contracts";
export { openLocks } from "./open-locks.js";
export { redisLocks, type RedisLocksOptions } from "./redis/redis-locks.js";
export { zookeeperLocks, type ZookeeperLocksOptions } from "./zookeeper/zookeeper-locks.js";
