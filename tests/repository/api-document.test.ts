// @module-tag U-10
/** Checks the files that are generated from the routes. Update them with `npx vitest run tests/repository/api-document.test.ts -u`. */
import { format } from "prettier";
import { expect, test } from "vitest";
import { apiDocument } from "@runledger/server";
import { generateTypes } from "../../packages/client/generate-types.js";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { httpReference, type HttpDocument } from "@runledger/test-support/reference/http-reference";

const WIDTH = { printWidth: 120 };
const { version } = readJson(inRepository("packages/runledger/package.json")) as { version: string };
const document = apiDocument(version);

test("the checked in OpenAPI document is what the routes say", async () => {
  const text = await format(JSON.stringify(document), { parser: "json", ...WIDTH });
  await expect(text).toMatchFileSnapshot(inRepository("docs/reference/openapi.json"));
});

test("docs/reference/http.md says for people what the OpenAPI document says", { tags: ["U-40"] }, async () => {
  const text = await format(httpReference(document as unknown as HttpDocument), { parser: "markdown", ...WIDTH });
  await expect(text).toMatchFileSnapshot(inRepository("docs/reference/http.md"));
});

test("the client's types are those of the OpenAPI document", { tags: ["U-17", "N-32", "N-34"] }, async () => {
  const text = await format(await generateTypes(document), { parser: "typescript", ...WIDTH });
  await expect(text).toMatchFileSnapshot(inRepository("packages/client/src/api-types.ts"));
});
