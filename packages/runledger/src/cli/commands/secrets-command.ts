/** `runledger secrets`: names and versions of secrets, never their values. */
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { DEFAULT_TENANT, InputError, omitUndefined, type ISecretsProvider } from "@runledger/contracts";
import type { ManagedSecrets, SecretInfo } from "@runledger/runtime";
import { exitCodes } from "../exit-codes.js";
import { loadProject, type GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { paint, print, printJson } from "../render/terminal.js";
import { checkReferences, providerOf } from "./secret-references.js";

interface ScopeOptions extends GlobalOptions {
  readonly tenant?: string;
  readonly environment?: string;
}

export function addSecretsCommand(program: Command): void {
  const secrets = program
    .command("secrets")
    .summary("list, set, rotate and check secrets")
    .description("Manages the secrets of this project's workers. It shows names and versions, and never a value.");
  secrets
    .command("list")
    .summary("list names and versions")
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  secrets
    .command("set <name>")
    .summary("store a new version, whose value is read from standard input")
    .description(
      "Reads the value from standard input, because arguments are visible to other users. A line break at the end is removed.",
    )
    .option("--tenant <name>", "only runs of this tenant may use it (default: all tenants)")
    .option("--environment <name>", "only runs in this environment may use it; needs --tenant (default: all)")
    .action((name: string, _: unknown, command: Command) => set(name, command.optsWithGlobals()));
  secrets
    .command("rotate")
    .summary("encrypt all secrets with the newest key")
    .description(
      "Put the new key in front of the old one, restart the workers, then rotate. Afterwards the old key can be removed.",
    )
    .action((_: unknown, command: Command) => rotate(command.optsWithGlobals()));
  secrets
    .command("check")
    .summary("check that every secret that a workflow names can be resolved")
    .option("--tenant <name>", `tenant of the runs (default: ${DEFAULT_TENANT})`)
    .option("--environment <name>", "environment of the runs (default: default)")
    .action((_: unknown, command: Command) => check(command.optsWithGlobals()));
}

async function list(options: GlobalOptions): Promise<void> {
  const found = await (await managed(options)).list();
  for (const info of found) (options.json === true ? printJson : show)(info);
  if (found.length === 0 && options.json !== true) print("No secrets. Store one with runledger secrets set NAME.");
}

function show({ name, version, tenantId, environmentId, keyId, createdAt }: SecretInfo): void {
  const scope = [tenantId ?? "all tenants", environmentId].filter((part) => part !== null).join(" / ");
  print(`${name}   version ${version}   ${scope}   ${paint("dim", `key ${keyId}, ${createdAt}`)}`);
}

async function set(name: string, options: ScopeOptions): Promise<void> {
  const provider = await managed(options);
  const value = (await text(process.stdin)).replace(/\r?\n$/, "");
  const scope = omitUndefined({ tenantId: options.tenant, environmentId: options.environment });
  const stored = await provider.set({ name, value, ...scope });
  if (options.json === true) printJson(stored);
  else print(`Stored version ${stored.version} of ${name}. Workers use it when their caches expire.`);
}

async function rotate(options: GlobalOptions): Promise<void> {
  const changed = await (await managed(options)).rotate();
  if (options.json === true) printJson({ changed });
  else print(`${count(changed, "version")} encrypted with the newest key.`);
}

async function check(options: ScopeOptions): Promise<void> {
  const { tenant = DEFAULT_TENANT, environment = "default" } = options;
  const project = await loadProject(options);
  const results = await checkReferences(project, { tenantId: tenant, environmentId: environment });
  for (const result of results) {
    if (options.json === true) printJson(result);
    else
      print(
        result.problem === null ? `${paint("green", "✔")} ${result.name}` : `${paint("red", "✖")} ${result.problem}`,
      );
  }
  if (results.some(({ problem }) => problem !== null)) process.exitCode = exitCodes.runFailed;
  if (results.length === 0 && options.json !== true) print("No workflow names a secret.");
}

async function managed(options: GlobalOptions): Promise<ManagedSecrets> {
  const provider = providerOf(await loadProject(options));
  if (isManaged(provider)) return provider;
  const message = "has no list of secrets and cannot store any. Use PostgresSecrets, or the tools of its service.";
  throw new InputError("OPTION_INVALID", "worker.secrets", message);
}

function isManaged(provider: ISecretsProvider): provider is ManagedSecrets {
  return ["list", "set", "rotate"].every(
    (name) => typeof (provider as unknown as Record<string, unknown>)[name] === "function",
  );
}
