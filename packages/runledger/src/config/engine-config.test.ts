// @module-tag T-01
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { expect, test } from "vitest";
import { withEngineSecrets } from "./engine-secrets.js";
import { resolveEngine, type EngineConfig, type EngineSources } from "./engine-config.js";

const URL_OF_ALL = "temporal://temporal.example:7233/orders?taskQueue=nightly&tls=true&ui=https://ui.example/temporal";

function resolved(sources: Partial<EngineSources>): EngineConfig {
  return resolveEngine({ option: undefined, environment: {}, config: undefined, ...sources });
}

test("without a choice, workers execute runs themselves", () => {
  expect(resolved({})).toEqual({ kind: "embedded" });
  expect(resolved({ environment: { RUNLEDGER_ENGINE: "" } })).toEqual({ kind: "embedded" });
});

test("the option wins over the environment, which wins over the configuration", () => {
  const config = { kind: "temporal", address: "config:7233" } as const;
  const environment = { RUNLEDGER_ENGINE: "temporal://environment:7233" };
  expect(resolved({ config })).toEqual(config);
  expect(resolved({ config, environment })).toEqual({ kind: "temporal", address: "environment:7233" });
  const option = "temporal://option:7233";
  expect(resolved({ config, environment, option })).toEqual({ kind: "temporal", address: "option:7233" });
  expect(resolved({ config, option: "embedded" })).toEqual({ kind: "embedded" });
});

test("a URL names the cluster, the namespace, the task queue, TLS and the UI", () => {
  expect(resolved({ option: URL_OF_ALL })).toEqual({
    kind: "temporal",
    address: "temporal.example:7233",
    namespace: "orders",
    taskQueue: "nightly",
    tls: true,
    uiUrl: "https://ui.example/temporal",
  });
});

test.each<[string, Partial<EngineSources>, string]>([
  ["an unknown engine", { option: "conductor" }, "--engine: conductor names no engine."],
  ["a URL without a host", { environment: { RUNLEDGER_ENGINE: "temporal://" } }, "RUNLEDGER_ENGINE: temporal://"],
  ["an unknown option", { option: "temporal://host:1?queue=q" }, "queue is not an option. Use taskQueue, tls or ui."],
  ["an unknown kind", { config: { kind: "conductor" } as never }, "engine: conductor names no engine."],
  ["a UI that could run code", { option: "temporal://host:1?ui=javascript:alert(1)" }, "is not an address of a UI"],
  ["a UI without a scheme", { config: { kind: "temporal", uiUrl: "ui.example" } }, "is not an address of a UI"],
])("%s is refused", (_, sources, message) => {
  expect(() => resolved(sources)).toThrow(message);
});

test("keys come from the environment, which steps cannot read afterwards, or from a file", { tags: ["T-19"] }, () => {
  const config = { kind: "temporal", apiKey: "configured" } as const;
  const environment = { RUNLEDGER_TEMPORAL_API_KEY: "key", RUNLEDGER_TEMPORAL_KEYS: "a:AAAA", PATH: "/bin" };
  expect(withEngineSecrets(config, environment)).toEqual({ ...config, apiKey: "key", payloadKeys: "a:AAAA" });
  expect(environment).toEqual({ PATH: "/bin" });
  const file = join(freshFolder(), "keys");
  writeFileSync(file, "b:BBBB\na:AAAA\n");
  expect(withEngineSecrets(config, { RUNLEDGER_TEMPORAL_KEYS_FILE: file })).toEqual({
    ...config,
    payloadKeys: "b:BBBB\na:AAAA\n",
  });
  expect(withEngineSecrets(config, {})).toEqual(config);
});
