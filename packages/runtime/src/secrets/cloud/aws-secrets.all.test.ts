// @module-tag D-10
/** AWS Secrets Manager, emulated by Moto, through the vendor's SDK. Moto does not check credentials. */
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { omitUndefined } from "@runledger/contracts";
import { requireMoto, startMoto, type MotoServer } from "@runledger/test-support/moto-server";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { AwsSecrets } from "../../index.js";

const ACME = { tenantId: "acme", environmentId: "production" };
const OTHER = { tenantId: "other", environmentId: "production" };
const PROVISION_MS = 600_000;

describeWith("AWS Secrets Manager", requireMoto, () => {
  let server: MotoServer;
  let secrets: AwsSecrets;
  let firstVersion: string;
  beforeAll(async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "tests");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "tests");
    server = await startMoto();
    const { endpoint } = server;
    const client = new SecretsManagerClient({ endpoint, region: "us-east-1" });
    const create = (Name: string, SecretString: string) => client.send(new CreateSecretCommand({ Name, SecretString }));
    firstVersion = (await create("runledger/token", "the first shared value")).VersionId!;
    await client.send(new PutSecretValueCommand({ SecretId: "runledger/token", SecretString: "the second value" }));
    await create("runledger/tenants/acme/production/token", "acme in production");
    client.destroy();
    secrets = new AwsSecrets({ endpoint, region: "us-east-1" });
  }, PROVISION_MS);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });

  const value = async (name: string, whose: typeof ACME, version?: string) =>
    (await secrets.resolve([{ name, ...omitUndefined({ version }) }], whose))[name];

  test("secrets are read by scope, version and stage", async () => {
    expect(await value("token", ACME)).toBe("acme in production");
    expect(await value("token", OTHER)).toBe("the second value");
    expect(await value("token", OTHER, firstVersion)).toBe("the first shared value");
    expect(await value("token", OTHER, "AWSPREVIOUS")).toBe("the first shared value");
    for (const name of ["missing", "tenants/acme/production/token"])
      await expect(value(name, OTHER)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
  });

  test("an outage is temporary", async () => {
    await server.stop();
    await expect(value("token", OTHER)).rejects.toMatchObject({ code: "SECRETS_UNAVAILABLE" });
  });
});
