/** Manages API keys and the local token. */
import { Option, type Command } from "commander";
import {
  accessRoles,
  ALL_TENANTS,
  DEFAULT_TENANT,
  InputError,
  omitUndefined,
  type AccessKey,
  type AccessRole,
} from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import { tokenFolder } from "../../config/token-folder.js";
import { withBackend } from "../backend/open-backend.js";
import { commandLine } from "../render/next-command.js";
import { resolveStore, refuseServer, type GlobalOptions } from "../global-options.js";
import { table } from "../render/table.js";
import { printNext, print, printJson } from "../render/terminal.js";

interface CreateOptions extends GlobalOptions {
  readonly name: string;
  readonly role: AccessRole;
  readonly tenant?: string;
  readonly expires?: string;
}

export function addKeysCommand(program: Command): void {
  const keys = program.command("keys").summary("manage API keys and the local token");
  keys
    .command("list")
    .summary("list API keys, without their secrets")
    .option("--tenant <name>", "only keys of this tenant")
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  keys
    .command("create")
    .summary("create an API key; its secret is shown only once")
    .requiredOption("--name <name>", "name of the key, recorded as the sender of its actions")
    .addOption(new Option("--role <role>", "permissions of the key").choices(accessRoles).default("viewer"))
    .option(
      "--tenant <name>",
      `tenant of the key; ${ALL_TENANTS} for all tenants (default: ${DEFAULT_TENANT}, or the tenant of --key)`,
    )
    .option("--expires <duration>", "lifetime of the key, such as 90d (default: until it is revoked)")
    .action((_: unknown, command: Command) => create(command.optsWithGlobals()));
  keys
    .command("revoke")
    .summary("revoke an API key permanently")
    .argument("<key>", "id of the key")
    .action((keyId: string, _: unknown, command: Command) => revoke(keyId, command.optsWithGlobals()));
  keys
    .command("token")
    .summary("print the local token, which a server on this machine accepts")
    .action((_: unknown, command: Command) => showToken(command.optsWithGlobals(), false));
  keys
    .command("rotate")
    .summary("replace the local token and close its sessions")
    .action((_: unknown, command: Command) => showToken(command.optsWithGlobals(), true));
}

async function list(options: GlobalOptions & { readonly tenant?: string }): Promise<void> {
  const keys = await withBackend(options, (backend) => backend.listKeys(options.tenant));
  if (options.json === true) return keys.forEach(printJson);
  const rows = keys.map((key) => [key.keyId, key.role, key.tenantId, key.name, stateOf(key)]);
  table(rows, { shrink: [4, 3], head: ["KEY", "ROLE", "TENANT", "NAME", "STATE"] }).forEach((line) => print(line));
  if (keys.length === 0)
    printNext(commandLine(options, "keys", "create", "--name", "ci", "--role", "operator"), "to create the first key");
}

async function create(options: CreateOptions): Promise<void> {
  const { name, role, tenant, expires } = options;
  const params = { name, role, ttlMs: expires === undefined ? null : duration(expires) };
  const { key, secret } = await withBackend(options, (backend) =>
    backend.createKey({ ...params, ...omitUndefined({ tenantId: tenant }) }),
  );
  if (options.json === true) return printJson({ key, secret });
  print(secret);
  const scope = key.tenantId === ALL_TENANTS ? "all tenants" : `tenant ${key.tenantId}`;
  print(`Save this secret now; it is not shown again. ${key.keyId} has the role ${role} in ${scope}.`);
  printNext(commandLine(options, "keys", "list"));
}

async function revoke(keyId: string, options: GlobalOptions): Promise<void> {
  const key = await withBackend(options, (backend) => backend.revokeKey(keyId));
  if (key === null)
    throw new InputError("KEY_NOT_FOUND", "key", `${keyId} does not exist. Run runledger keys list to see all keys.`);
  if (options.json === true) return printJson(key);
  print(`Revoked ${keyId} (${key.name}). Servers reject it within two seconds.`);
  printNext(commandLine(options, "keys", "list"));
}

async function showToken(options: GlobalOptions, rotate: boolean): Promise<void> {
  refuseServer(options, "the local token");
  const { LocalToken } = await import("@runledger/server/setup");
  const folder = tokenFolder(await resolveStore(options), process.env);
  const token = rotate ? await LocalToken.rotate(folder) : await LocalToken.read(folder);
  if (token === null)
    throw new InputError("KEY_NOT_FOUND", "token", `${folder} has no token. Run runledger serve to create one.`);
  if (options.json === true) return printJson({ token });
  print(token);
}

function stateOf({ revokedAt, expiresAt, lastUsedAt }: AccessKey): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  const until = expiresAt === null ? "" : `until ${expiresAt}, `;
  return `${until}${lastUsedAt === null ? "never used" : `used ${lastUsedAt}`}`;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0) return ms;
  throw new InputError("OPTION_INVALID", "--expires", `${text} is not a duration. Use one such as 90d.`);
}
