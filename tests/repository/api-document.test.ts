/** What is made from the routes is checked in; `npx vitest run tests/repository/api-document.test.ts -u` makes it anew. */
import { format } from "prettier";
import { expect, test } from "vitest";
import { openApiDocument } from "../../packages/runledger/src/server/openapi/document.js";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { apiTypes, type OpenApi } from "../support/api-types.js";
import { httpReference, type HttpDocument } from "../support/reference/http-reference.js";

const WIDTH = { printWidth: 120 };
const { version } = readJson(inRepository("packages/runledger/package.json")) as { version: string };
const document = openApiDocument(version);

test("[U-10] the checked in OpenAPI document is what the routes say", async () => {
  const text = await format(JSON.stringify(document), { parser: "json", ...WIDTH });
  await expect(text).toMatchFileSnapshot(inRepository("docs/reference/openapi.json"));
});

test("[U-40] docs/reference/http.md says for people what the OpenAPI document says", async () => {
  const text = await format(httpReference(document as unknown as HttpDocument), { parser: "markdown", ...WIDTH });
  await expect(text).toMatchFileSnapshot(inRepository("docs/reference/http.md"));
});

test("[U-17] the client's types are those of the OpenAPI document", async () => {
  const text = await format(apiTypes(document as unknown as OpenApi), { parser: "typescript", ...WIDTH });
  await expect(text).toMatchFileSnapshot(inRepository("packages/client/src/api-types.ts"));
});
