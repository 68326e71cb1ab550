/** Options are checked before dbt starts, and errors have classes. */
import { expect, test } from "vitest";
import { runArguments } from "./arguments.js";
import { classify } from "./errors.js";
import { checkOptions } from "./options.js";
import type { Scratch } from "./scratch.js";

const scratch = { project: "/p", profiles: "/q", target: "/t", logs: "/l", state: "/s" } as Scratch;

test.each([
  [{}, '"project" is missing'],
  [{ project: "p", selct: ["a"] }, '"selct" is not an option'],
  [{ project: "p", select: ["--full-refresh"] }, 'The value of "select" is not valid'],
  [{ project: "p", select: "a" }, 'The value of "select" is not valid'],
  [{ project: "p", command: "clean" }, 'The value of "command" is not valid'],
  [{ project: "p", threads: 0 }, 'The value of "threads" is not valid'],
  [{ project: "-p" }, 'The value of "project" is not valid'],
])("%j is refused", (options, message) => {
  const refusal = { code: "DBT_OPTION_INVALID", retryable: false, message: expect.stringContaining(message) as string };
  expect(() => checkOptions(options)).toThrow(expect.objectContaining(refusal) as Error);
});

test("options become arguments, each value as one argument", () => {
  const options = checkOptions({
    project: "p",
    target: "prod",
    select: ["tag:daily", "orders; rm -rf /"],
    vars: { day: "2026-11-18" },
    fullRefresh: true,
    threads: 4,
  });
  const args = runArguments(options, scratch, null);
  expect(args.slice(args.indexOf("build"))).toEqual([
    "build",
    "--project-dir",
    "/p",
    "--profiles-dir",
    "/q",
    "--target-path",
    "/t",
    "--log-path",
    "/l",
    "--target",
    "prod",
    "--vars",
    '{"day":"2026-11-18"}',
    "--select",
    "tag:daily",
    "orders; rm -rf /",
    "--full-refresh",
    "--threads",
    "4",
  ]);
  expect(runArguments(options, scratch, ["--select", "result:error"])).not.toContain("tag:daily");
});

test.each([
  ['connection to server at "db", port 5432 failed: Connection refused', "DBT_CONNECTION_LOST"],
  ["server closed the connection unexpectedly", "DBT_CONNECTION_LOST"],
  ["terminating connection due to administrator command", "DBT_CONNECTION_LOST"],
  ["IO Error: Could not set lock on file shop.duckdb", "DBT_CONNECTION_LOST"],
  ["[Errno 28] No space left on device", "DBT_DISK_FULL"],
  ['Binder Error: Referenced column "connections" not found', "DBT_NODE_FAILED"],
  ["Got 8 results, configured to fail if != 0", "DBT_NODE_FAILED"],
])("%s is %s", (message, code) => {
  expect(classify(message, "DBT_NODE_FAILED")).toBe(code);
});
