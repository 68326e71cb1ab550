// @module-tag D-10
/** The protocols of Google Secret Manager and Azure Key Vault, spoken to a stub: neither has an emulator. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { omitUndefined, type ISecretsProvider } from "@runledger/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AzureSecrets, GcpSecrets } from "../../index.js";

const ACME = { tenantId: "acme", environmentId: "production" };
const OTHER = { tenantId: "other", environmentId: "production" };
const GCP = "/v1/projects/shop/secrets/runledger__";
const AZURE = "/secrets/runledger--";

let server: Server;
let objects: Map<string, unknown>;
let status: number | null;
let requested: string[];
let address: string;

beforeEach(async () => {
  status = null;
  requested = [];
  const gcp = (value: string) => ({ payload: { data: Buffer.from(value).toString("base64") } });
  objects = new Map<string, unknown>([
    [`${GCP}token/versions/latest:access`, gcp("shared in google")],
    [`${GCP}token/versions/1:access`, gcp("first in google")],
    [`${GCP}tenants__acme__production__token/versions/latest:access`, gcp("acme in google")],
    [`${AZURE}token/`, { value: "shared in azure" }],
    [`${AZURE}token/1`, { value: "first in azure" }],
    [`${AZURE}tenants--acme--token/`, { value: "acme in azure" }],
  ]);
  server = createServer(({ url, headers }, response) => {
    const { pathname } = new URL(url!, "http://localhost");
    requested.push(pathname);
    const found = objects.get(pathname);
    const answer = headers.authorization === "Bearer right" ? (found === undefined ? 404 : 200) : 403;
    response.writeHead(status ?? answer).end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const providers: readonly [string, (token: string) => ISecretsProvider][] = [
  [
    "google",
    (token) => new GcpSecrets({ projectId: "shop", auth: { getAccessToken: async () => token }, endpoint: address }),
  ],
  ["azure", (token) => new AzureSecrets({ vaultUrl: address, credential: { getToken: async () => ({ token }) } })],
];

test.each(providers)("%s: secrets are read by scope and version", async (cloud, open) => {
  const secrets = open("right");
  const value = async (whose: typeof ACME, version?: string) =>
    (await secrets.resolve([{ name: "token", ...omitUndefined({ version }) }], whose))["token"];
  expect(await value(ACME)).toBe(`acme in ${cloud}`);
  expect(await value(OTHER)).toBe(`shared in ${cloud}`);
  expect(await value(OTHER, "1")).toBe(`first in ${cloud}`);
  for (const name of ["missing", "tenants__acme__production__token", "tenants--acme--token", "../x"])
    await expect(secrets.resolve([{ name }], OTHER)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
  const confusing = { tenantId: "acme__production", environmentId: "acme--x" };
  expect(await value(confusing)).toBe(`shared in ${cloud}`);
});

test.each(providers)("%s: a refusal names what to check, and an outage is temporary", async (_, open) => {
  const refused = open("wrong").resolve([{ name: "token" }], OTHER);
  await expect(refused).rejects.toMatchObject({
    code: "SECRET_SOURCE_INVALID",
    message: expect.stringContaining("403") as string,
  });
  for (status of [429, 500, 503])
    await expect(open("right").resolve([{ name: "token" }], OTHER)).rejects.toMatchObject({
      code: "SECRETS_UNAVAILABLE",
    });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(open("right").resolve([{ name: "token" }], OTHER)).rejects.toMatchObject({
    code: "SECRETS_UNAVAILABLE",
  });
});
