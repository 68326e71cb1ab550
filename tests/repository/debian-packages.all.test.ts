import { join } from "node:path";
import { expect, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import {
  pgbouncer,
  postgres15,
  requireDebian,
  unpackDebian,
  type DebianProgram,
} from "@runledger/test-support/debian-packages";
import { describeWith } from "@runledger/test-support/requirements";

describeWith("programs from Debian packages, unpacked into the cache", requireDebian, () => {
  test.each<[string, DebianProgram, string]>([
    ["pgbouncer", pgbouncer, "usr/sbin/pgbouncer"],
    ["PostgreSQL 15", postgres15, "usr/lib/postgresql/15/bin/postgres"],
  ])("%s starts", async (_name, program, path) => {
    const { root, env } = await unpackDebian(program);
    const { code, stdout, stderr } = await capture(join(root, path), ["--version"], { env: { ...env } });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/PgBouncer 1\.|PostgreSQL\) 15\./);
  });
});
