/** API keys and the local token: of a store, or of the server that was named. */
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
import { withDesk } from "./desk/open-desk.js";
import { commandLine } from "./next-command.js";
import { chosenStore, refuseServer, type GlobalOptions } from "./session.js";
import { table } from "./table.js";
import { next, print, printJson } from "./terminal.js";

interface CreateOptions extends GlobalOptions {
  readonly name: string;
  readonly role: AccessRole;
  readonly tenant?: string;
  readonly expires?: string;
}

export function addKeysCommand(program: Command): void {
  const keys = program.command("keys").summary("API keys, and the token of this machine");
  keys
    .command("list")
    .summary("show the keys, without their secrets")
    .option("--tenant <name>", "only those of one tenant")
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  keys
    .command("create")
    .summary("make a key; it is shown once")
    .requiredOption("--name <name>", "whose it is, as it goes on record")
    .addOption(new Option("--role <role>", "what it may do").choices(accessRoles).default("viewer"))
    .option(
      "--tenant <name>",
      `which tenant it is good for; ${ALL_TENANTS} for all (default: ${DEFAULT_TENANT}, or the key's)`,
    )
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

async function list(options: GlobalOptions & { readonly tenant?: string }): Promise<void> {
  const keys = await withDesk(options, (desk) => desk.listKeys(options.tenant));
  if (options.json === true) return keys.forEach(printJson);
  const rows = keys.map((key) => [key.keyId, key.role, key.tenantId, key.name, stateOf(key)]);
  table(rows, { shrink: [4, 3] }).forEach((line) => print(line));
  if (keys.length === 0)
    next(commandLine(options, "keys", "create", "--name", "ci", "--role", "operator"), "there are none yet");
}

async function create(options: CreateOptions): Promise<void> {
  const { name, role, tenant, expires } = options;
  const order = { name, role, ttlMs: expires === undefined ? null : duration(expires) };
  const { key, secret } = await withDesk(options, (desk) =>
    desk.createKey({ ...order, ...(tenant === undefined ? {} : { tenantId: tenant }) }),
  );
  if (options.json === true) return printJson({ key, secret });
  print(secret);
  const whose = key.tenantId === ALL_TENANTS ? "all tenants" : key.tenantId;
  print(`It is shown this once. ${key.keyId} is ${role} of ${whose}.`);
  next(commandLine(options, "keys", "list"));
}

async function revoke(keyId: string, options: GlobalOptions): Promise<void> {
  const key = await withDesk(options, (desk) => desk.revokeKey(keyId));
  if (key === null) throw new InputError("KEY_NOT_FOUND", "key", `there is no ${keyId}; see runledger keys list.`);
  if (options.json === true) return printJson(key);
  print(`${keyId} (${key.name}) is revoked; servers notice within two seconds.`);
  next(commandLine(options, "keys", "list"));
}

async function showToken(options: GlobalOptions, rotate: boolean): Promise<void> {
  refuseServer(options, "the token of a data directory");
  const { LocalToken } = await import("../server/access/local-token.js");
  const folder = tokenFolder(await chosenStore(options), process.env);
  const token = rotate ? await LocalToken.rotate(folder) : await LocalToken.read(folder);
  if (token === null)
    throw new InputError("KEY_NOT_FOUND", "token", `there is none in ${folder} yet; runledger serve makes it.`);
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
  throw new InputError("OPTION_INVALID", "expires", `is ${text}; write it as in 90d.`);
}
