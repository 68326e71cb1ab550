// @module-tag D-10
/** Providers that need no service: files, chains, caches and scopes. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { omitUndefined, type ISecretsProvider } from "@runledger/contracts";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { expect, onTestFinished, test } from "vitest";
import { cachedSecrets, chainSecrets, connect, EnvSecrets, FileSecrets, scopedSecrets, workflow } from "../index.js";
import { unavailable } from "./secret-errors.js";

const ACME = { tenantId: "acme", environmentId: "production" };
const OTHER = { tenantId: "other", environmentId: "production" };

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "runledger-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  return folder;
}

async function code(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

test("the most specific file of a secret counts, and another tenant does not see it", async () => {
  const folder = folderOf({
    "db-password": "shared by everyone\n",
    "db-password@2": "second version",
    "tenants/acme/db-password": "a value for acme",
    "tenants/acme/production/token": "acme in production",
  });
  const secrets = new FileSecrets({ folder });
  const value = async (name: string, whose: typeof ACME, version?: string) =>
    (await secrets.resolve([{ name, ...omitUndefined({ version }) }], whose))[name];
  expect(await value("db-password", ACME)).toBe("a value for acme");
  expect(await value("db-password", OTHER)).toBe("shared by everyone");
  expect(await value("db-password", OTHER, "2")).toBe("second version");
  expect(await value("token", ACME)).toBe("acme in production");
  for (const whose of [OTHER, { tenantId: "acme", environmentId: "staging" }])
    await expect(value("token", whose)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
});

test("a name, tenant or version cannot leave the folder", async () => {
  const secrets = new FileSecrets({ folder: folderOf({ "inside/x": "not reachable by others" }) });
  const attempts = ["../inside/x", "..", "inside/x", "inside", "x\0", ""].map((name) =>
    secrets.resolve([{ name }], ACME),
  );
  attempts.push(secrets.resolve([{ name: "x", version: "/../inside/x" }], ACME));
  attempts.push(secrets.resolve([{ name: "x" }], { tenantId: "../inside", environmentId: ".." }));
  expect(await Promise.all(attempts.map(code))).toEqual(attempts.map(() => "SECRET_NOT_FOUND"));
});

test.each([0o604, 0o620, 0o666])("a file with the mode %o is refused", async (mode) => {
  const folder = folderOf({ "db-password": "a long enough value" });
  chmodSync(join(folder, "db-password"), mode);
  const resolved = new FileSecrets({ folder }).resolve([{ name: "db-password" }], ACME);
  await expect(resolved).rejects.toThrow(/SECRET|mode .* Run chmod 600/);
  expect(await code(resolved)).toBe("SECRET_SOURCE_INVALID");
});

test("a chain continues after a missing secret, and stops if a provider is unavailable", async () => {
  const first = new EnvSecrets({ RUNLEDGER_SECRET_A: "the first value of a" });
  const second = new EnvSecrets({ RUNLEDGER_SECRET_A: "the second value of a", RUNLEDGER_SECRET_B: "the value of b" });
  const chain = chainSecrets(first, second);
  expect(await chain.resolve([{ name: "a" }, { name: "b" }], ACME)).toEqual({
    a: "the first value of a",
    b: "the value of b",
  });
  expect(chain.known!()).toEqual({ a: "the first value of a", b: "the value of b" });
  expect(await code(chain.resolve([{ name: "c" }], ACME))).toBe("SECRET_NOT_FOUND");
  const down: ISecretsProvider = { resolve: () => Promise.reject(unavailable("The service", new Error("down"))) };
  expect(await code(chainSecrets(down, second).resolve([{ name: "b" }], ACME))).toBe("SECRETS_UNAVAILABLE");
});

test("a cache calls once per tenant and version until the value expires, and keeps no failure", async () => {
  let time = 0;
  const calls: string[] = [];
  let fails = true;
  const source: ISecretsProvider = {
    resolve: async ([ref], { tenantId }) => {
      calls.push(`${tenantId} ${ref!.name} ${ref!.version ?? "-"}`);
      if (fails) throw unavailable("The service", new Error("down"));
      return { [ref!.name]: `value of ${tenantId}` };
    },
  };
  const cache = cachedSecrets(source, { ttlMs: 1000, now: () => time });
  const get = (whose: typeof ACME, version?: string) =>
    cache.resolve([{ name: "a", ...omitUndefined({ version }) }], whose).then(({ a }) => a);
  expect(await code(get(ACME))).toBe("SECRETS_UNAVAILABLE");
  fails = false;
  expect(await Promise.all([get(ACME), get(ACME), get(OTHER), get(ACME, "1")])).toEqual([
    "value of acme",
    "value of acme",
    "value of other",
    "value of acme",
  ]);
  time = 999;
  await get(ACME);
  time = 1000;
  await get(ACME);
  expect(calls).toEqual(["acme a -", "acme a -", "other a -", "acme a 1", "acme a -"]);
});

test("a reference outside its scope is refused, fails the step without a retry, and is in the audit log", async () => {
  let calls = 0;
  const source: ISecretsProvider = {
    resolve: async (refs) => {
      calls++;
      return Object.fromEntries(refs.map(({ name }) => [name, "correct horse battery"]));
    },
  };
  const secrets = scopedSecrets(source, {
    "warehouse-*": { tenants: ["acme"] },
    "warehouse-public": {},
    "staging-only": { environments: ["staging"] },
  });
  await using ledger = await connect("memory:");
  const uses = (name: string) =>
    workflow(`uses-${name}`, {}, (w) =>
      w.step("use", { retry: { attempts: 3 } }, async ({ secrets: own }) => (await own.get(name)).length),
    );
  const ended = await runWorkflow(ledger, uses("warehouse-public"), { secrets });
  expect(ended.data("StepCompleted", "use")).toMatchObject({ output: 21 });
  for (const name of ["warehouse-password", "staging-only", "unlisted"]) {
    const failed = await runWorkflow(ledger, uses(name), { secrets });
    expect(failed.data("StepFailed", "use")).toMatchObject({ error: { code: "SECRET_FORBIDDEN" } });
    expect(failed.events.filter(({ eventType }) => eventType === "StepStarted")).toHaveLength(1);
  }
  expect(calls).toBe(1);
  const entries = await ledger.store.audit.listAudit({ tenantId: "default" });
  const denied = { action: "resolveSecret", outcome: "denied", code: "SECRET_FORBIDDEN", actorKind: "system" };
  expect(entries.map(({ target }) => target)).toEqual([
    "secret unlisted in default",
    "secret staging-only in default",
    "secret warehouse-password in default",
  ]);
  for (const entry of entries) expect(entry).toMatchObject(denied);
});
