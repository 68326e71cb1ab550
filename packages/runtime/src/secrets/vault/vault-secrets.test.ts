// @module-tag D-10
/** Vault's protocol, spoken to a stub: no Vault server can be installed from the registries that tests use. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { omitUndefined } from "@runledger/contracts";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { until } from "@runledger/test-support/until";
import { VaultStub } from "@runledger/test-support/vault-stub";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { connect, VaultSecrets, workflow, type VaultAuth } from "../../index.js";

const ACME = { tenantId: "acme", environmentId: "production" };
const APP_ROLE: VaultAuth = { appRole: { roleId: "worker", secretId: "right" } };

let vault: VaultStub;
beforeEach(async () => {
  vault = await VaultStub.start();
  vault.values.set("runledger/db-password", ["the first shared value", null, "the third shared value"]);
  vault.values.set("runledger/tenants/acme/db-password", ["the value of acme"]);
  vault.values.set("runledger/tenants/acme/production/token", ["acme in production"]);
});
afterEach(() => vault.stop());

const secretsWith = (auth: VaultAuth): VaultSecrets => new VaultSecrets({ address: vault.address, auth });

async function valueOf(secrets: VaultSecrets, name: string, whose = ACME, version?: string): Promise<string> {
  return (await secrets.resolve([{ name, ...omitUndefined({ version }) }], whose))[name]!;
}

test("secrets are read by scope and version", async () => {
  const secrets = secretsWith({ token: vault.issue() });
  const other = { ...ACME, tenantId: "other" };
  expect(await valueOf(secrets, "db-password")).toBe("the value of acme");
  expect(await valueOf(secrets, "token")).toBe("acme in production");
  expect(await valueOf(secrets, "db-password", other)).toBe("the third shared value");
  expect(await valueOf(secrets, "db-password", other, "1")).toBe("the first shared value");
  for (const [name, version] of [["db-password", "2"], ["token"], ["nothing"], [".."], ["../other"], ["a/b"]] as const)
    await expect(valueOf(secrets, name, other, version)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
  const outside = { tenantId: "..", environmentId: ".." };
  expect(await valueOf(secrets, "db-password", outside)).toBe("the third shared value");
  expect(vault.requests.every((request) => !request.includes(".."))).toBe(true);
});

test("a worker logs in with an AppRole or its service account, and again after its token was revoked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-vault-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, "service account\n");
  for (const auth of [APP_ROLE, { kubernetes: { role: "worker", tokenFile } }]) {
    const secrets = secretsWith(auth);
    const values = await Promise.all([valueOf(secrets, "db-password"), valueOf(secrets, "token")]);
    expect(values).toEqual(["the value of acme", "acme in production"]);
    vault.revokeAll();
    expect(await valueOf(secrets, "token")).toBe("acme in production");
  }
  expect(vault.requests.filter((request) => request.endsWith("/login"))).toHaveLength(4);
});

test("tokens are renewed before they expire", async () => {
  vault.ttlSeconds = 1;
  for (const secrets of [secretsWith(APP_ROLE), secretsWith({ token: vault.issue() })]) {
    vault.requests.length = 0;
    await valueOf(secrets, "token");
    await until(() => vault.requests.filter((request) => request.endsWith("/renew-self")).length >= 3);
  }
});

test("wrong credentials are reported with what to check, and no error contains them", async () => {
  const wrong: VaultAuth[] = [
    { token: "not a token" },
    { appRole: { roleId: "worker", secretId: "wrong-secret-id" } },
    { kubernetes: { role: "worker", tokenFile: "/no/such/file" } },
  ];
  for (const auth of wrong) {
    const error = await valueOf(secretsWith(auth), "token").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SECRET_SOURCE_INVALID" });
    expect(String(error)).not.toMatch(/not a token|wrong-secret-id/);
  }
});

test("a step waits for a sealed Vault, and its attempt is not used up", async () => {
  await using ledger = await connect("memory:");
  const flow = workflow("waits", {}, (w) =>
    w.step("use", async ({ secrets }) => (await secrets.get("db-password")).length),
  );
  vault.isSealed = true;
  const ended = runWorkflow(ledger, flow, { secrets: secretsWith(APP_ROLE) });
  await until(() => vault.requests.length >= 3);
  vault.isSealed = false;
  const { events, data } = await ended;
  expect(data("StepCompleted", "use")).toMatchObject({ output: "the third shared value".length });
  expect(events.filter(({ eventType }) => eventType === "StepStarted")).toHaveLength(1);
});
