// @module-tag H-20
import { expect, test } from "vitest";
import { openLocks } from "./open-locks.js";
import { parseZookeeperUrl } from "./zookeeper/zookeeper-url.js";

test("the scheme of the URL selects the server", async () => {
  expect(openLocks("redis://user:hunter2@locks-1:6379/2").name).toBe("Redis");
  expect(openLocks("rediss://locks-1").name).toBe("Redis");
  expect(openLocks("zookeeper://a:2181,b:2182/ledger").name).toBe("ZooKeeper");
});

test.each([
  "",
  "locks-1:6379",
  "redis:",
  "redis://",
  "memcached://hunter2@a",
  "zookeeper://",
  "zookeeper://a b:hunter2",
])("%s is refused, and the message repeats no password", (url) => {
  expect(() => openLocks(url)).toThrow(expect.objectContaining({ code: "OPTION_INVALID", field: "lock" }));
  expect(() => openLocks(url)).not.toThrow(/hunter2/);
});

test("the URL of ZooKeeper has several servers, credentials and a path", () => {
  expect(parseZookeeperUrl("zookeeper://app:p%40ss@zk-1,zk-2:2182,[::1]:2183/a/b/")).toEqual({
    servers: [
      { host: "zk-1", port: 2181 },
      { host: "zk-2", port: 2182 },
      { host: "::1", port: 2183 },
    ],
    digest: "app:p@ss",
    root: "/a/b",
  });
  expect(parseZookeeperUrl("zookeeper://zk-1")).toMatchObject({ digest: null, root: "/runledger" });
});
