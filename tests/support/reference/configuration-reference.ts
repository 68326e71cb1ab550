import { readInterface, table } from "./read-interface.js";

const CONFIG = "packages/runledger/src/config";

const SECTIONS = [
  ["runledger.config.ts", `${CONFIG}/define-config.ts`, "RunledgerConfig"],
  ["samples", `${CONFIG}/define-config.ts`, "SampleRun"],
  ["server", `${CONFIG}/server-config.ts`, "ServerConfig"],
  ["server.jwt", "packages/runledger/src/server/access/jwt.ts", "JwtOptions"],
  ["worker", "packages/runledger/src/engine/worker.ts", "WorkerOptions"],
  ["worker: what steps are run with", "packages/runledger/src/engine/runners.ts", "RunnerOptions"],
  ["worker.allowPublished", "packages/runledger/src/engine/published-rights.ts", "PublishedRights"],
] as const;

/** What is read of the environment; a test compares the names with those in the sources. */
export const VARIABLES: Readonly<Record<string, string>> = {
  RUNLEDGER_STORE: "where runs are kept; `--store` comes first, the configuration's `store` after it",
  RUNLEDGER_SERVER: "a server in place of a store, as `--server` says it",
  RUNLEDGER_KEY: "the API key for it, as `--key` says it",
  RUNLEDGER_SECRET_: "with a secret's name behind it: what `EnvSecrets` resolves that secret to",
  RUNLEDGER_JWT_ISSUER: "`server.jwt.issuer`",
  RUNLEDGER_JWT_AUDIENCE: "`server.jwt.audience`",
  RUNLEDGER_JWT_JWKS_URL: "`server.jwt.jwksUrl`",
  RUNLEDGER_JWT_ROLE_CLAIM: "`server.jwt.roleClaim`",
  RUNLEDGER_JWT_TENANT_CLAIM: "`server.jwt.tenantClaim`",
  RUNLEDGER_JWT_TENANT: "`server.jwt.defaultTenant`",
  RUNLEDGER_DEBUG: "`1` shows where in our code an unexpected error came from",
};

/** Set for the programs that `command` steps start. */
export const FOR_COMMANDS: Readonly<Record<string, string>> = {
  RUNLEDGER_RUN_ID: "the run",
  RUNLEDGER_STEP_ID: "the step",
  RUNLEDGER_ATTEMPT: "which attempt of it, from 1",
  RUNLEDGER_IDEMPOTENCY_KEY: "the same for all attempts of the step",
  RUNLEDGER_ATTEMPT_KEY: "another for each attempt",
};

export function configurationReference(): string {
  return `<!-- Made from the types of packages/runledger/src/config; not written by hand. -->

# Configuration

A project says what it is in \`runledger.config.ts\`, which every command finds from the working directory upwards, or is
told with \`--config\`. What differs between places comes from the command line, then from variables, then from the file.

${SECTIONS.map(([title, file, name]) => section(title, file, name)).join("\n\n")}

## Where runs are kept

| store | |
| --- | --- |
| \`embedded:<folder>\` | a PostgreSQL of its own in a folder; the default, \`embedded:.runledger\`, but not when \`NODE_ENV\` is \`production\` |
| \`postgres://…\` | your PostgreSQL, 14 or later |
| \`memory:\` | this process only |

## Variables

${variables(VARIABLES)}

\`NODE_ENV=production\` loads compiled JavaScript only and has no default store. \`NO_COLOR\` turns colours off.

## Variables that commands get

${variables(FOR_COMMANDS)}

Of the worker's own variables a command gets \`PATH\`, \`HOME\` and \`LANG\`, and what its step names.
`;
}

function section(title: string, file: string, name: string): string {
  const { says, members } = readInterface(file, name)!;
  const shown = members.filter((member) => !(name === "WorkerOptions" && member.name === "workflows"));
  return [`## ${title}`, ...(says === "" ? [] : [says]), table(shown)].join("\n\n");
}

function variables(all: Readonly<Record<string, string>>): string {
  const rows = Object.entries(all).map(([name, says]) => `| \`${name}\` | ${says} |`);
  return ["| variable | |", "| --- | --- |", ...rows].join("\n");
}
