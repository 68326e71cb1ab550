/** API keys and the local token, on the store itself: whoever can reach it needs no server. */
import { Option, type Command } from "commander";
import {
  accessRoles,
  ALL_TENANTS,
  DEFAULT_TENANT,
  InputError,
  type AccessKey,
  type AccessRole,
} from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import { tokenFolder } from "../config/token-folder.js";
import { createApiKey } from "../server/access/api-keys.js";
import { LocalToken } from "../server/access/local-token.js";
import { chosenStore, withLedger, type GlobalOptions } from "./session.js";
import { next, print, printJson } from "./terminal.js";

interface CreateOptions extends GlobalOptions {
  readonly name: string;
  readonly role: AccessRole;
  readonly tenant: string;
  readonly expires?: string;
}

export function addKeysCommand(program: Command): void {
  const keys = program.command("keys").summary("API keys, and the token of this machine");
  keys
    .command("list")
    .summary("show the keys, without their secrets")
    .option("--tenant <name>", "only those of one tenant", ALL_TENANTS)
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  keys
    .command("create")
    .summary("make a key; it is shown once")
    .requiredOption("--name <name>", "whose it is, as it goes on record")
    .addOption(new Option("--role <role>", "what it may do").choices(accessRoles).default("viewer"))
    .option("--tenant <name>", `which tenant it is good for; ${ALL_TENANTS} for all`, DEFAULT_TENANT)
    .option("--expires <duration>", "how long it is good, as in 90d (default: until it is revoked)")
    .action((_: unknown, command: Command) => create(command.optsWithGlobals()));
  keys
    .command("revoke")
    .summary("end a key for good")
    .argument("<key>", "its id")
    .action((keyId: string, _: unknown, command: Command) => revoke(keyId, command.optsWithGlobals()));
  keys
    .command("token")
    .summary("show the token that this machine's server takes")
    .action((_: unknown, command: Command) => showToken(command.optsWithGlobals(), false));
  keys
    .command("rotate")
    .summary("replace that token; open sessions end")
    .action((_: unknown, command: Command) => showToken(command.optsWithGlobals(), true));
}

async function list(options: GlobalOptions & { readonly tenant: string }): Promise<void> {
  await withLedger(options, async ({ store }) => {
    const keys = await store.access.listKeys({ tenantId: options.tenant });
    for (const key of keys) if (options.json === true) printJson(key);
    if (options.json === true) return;
    for (const key of keys) print(`${key.keyId}  ${key.role.padEnd(8)}  ${key.tenantId}  ${key.name}  ${stateOf(key)}`);
    if (keys.length === 0) next("runledger keys create --name ci --role operator", "there are none yet");
  });
}

async function create(options: CreateOptions): Promise<void> {
  const { name, role, tenant: tenantId, expires } = options;
  const ttlMs = expires === undefined ? null : duration(expires);
  await withLedger(options, async ({ store }) => {
    const wanted = { name, role, tenantId, ttlMs, createdBy: "command line" };
    const { key, text } = await createApiKey(store.access, wanted);
    await store.audit.recordAudit([administered("createKey", key)]);
    if (options.json === true) return printJson({ key, secret: text });
    print(text);
    print(`It is shown this once. ${key.keyId} is ${role} of ${tenantId === ALL_TENANTS ? "all tenants" : tenantId}.`);
  });
}

async function revoke(keyId: string, options: GlobalOptions): Promise<void> {
  await withLedger(options, async ({ store }) => {
    const key = await store.access.revokeKey({ tenantId: ALL_TENANTS, keyId });
    if (key === null) throw new InputError("KEY_NOT_FOUND", "key", `there is no ${keyId}; see runledger keys list.`);
    await store.audit.recordAudit([administered("revokeKey", key)]);
    if (options.json === true) return printJson(key);
    print(`${keyId} (${key.name}) is revoked; servers notice within two seconds.`);
  });
}

async function showToken(options: GlobalOptions, rotate: boolean): Promise<void> {
  const folder = tokenFolder(await chosenStore(options), process.env);
  const token = rotate ? await LocalToken.rotate(folder) : await LocalToken.read(folder);
  if (token === null)
    throw new InputError("KEY_NOT_FOUND", "token", `there is none in ${folder} yet; runledger serve makes it.`);
  if (options.json === true) return printJson({ token });
  print(token);
}

function administered(action: string, { keyId, tenantId }: AccessKey) {
  const where = { requestId: "none", address: "command line" };
  return { tenantId, actor: "command line", action, target: keyId, outcome: "allowed", code: null, ...where } as const;
}

function stateOf({ revokedAt, expiresAt, lastUsedAt }: AccessKey): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  const until = expiresAt === null ? "" : `until ${expiresAt}, `;
  return `${until}${lastUsedAt === null ? "never used" : `used ${lastUsedAt}`}`;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0) return ms;
  throw new InputError("OPTION_INVALID", "expires", `is ${text}; write it as in 90d.`);
}
