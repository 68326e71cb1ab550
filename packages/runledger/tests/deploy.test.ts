// @module-tag U-40
/** Checks the files in deploy/ by reading them. No image is built and no unit is started, as the guide states. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { inRepository, readJson } from "../../../scripts/lib/repository.mjs";
import { refusedBy } from "./support/command-line.js";
import { deployFile, dockerStages, unitFile, type Instruction } from "@runledger/test-support/deploy-files";

const PORT = "7373";
const CONFIG = "dist/runledger.config.js";
const BIN = "node_modules/runledger/bin/runledger.js";
const TEMPLATE = "packages/runledger/templates/project";

const [before = [], ...stages] = dockerStages();
const final = stages.at(-1)!;
const all = (instructions: readonly Instruction[], word: string): string[] =>
  instructions.filter((each) => each.word === word).map(({ rest }) => rest);
const list = (text: string): string[] => JSON.parse(text) as string[];

test("Dockerfile: several stages from one pinned image; the last one has no compiler and is not root", () => {
  expect(all(before, "ARG")).toEqual([expect.stringMatching(/^NODE=\d+\.\d+\.\d+-/)]);
  expect(stages.length).toBeGreaterThan(1);
  for (const stage of stages) expect(all(stage, "FROM")[0]).toMatch(/^node:\$\{NODE\}( AS \w+)?$/);
  const users = final.map(({ word }) => word).lastIndexOf("USER");
  expect(all(final, "USER")).toEqual(["node"]);
  expect(final.slice(users).some(({ word }) => word === "RUN" || word === "COPY")).toBe(false);
  expect(all(final, "RUN")).toEqual([]);
});

test("Dockerfile: what it installs is locked, what it copies exists, and nothing secret is in it", () => {
  const runs = stages.flatMap((stage) => all(stage, "RUN")).join("\n");
  expect(runs).toContain("npm ci");
  expect(runs).toMatch(/npm run build && npm prune --omit=dev/);
  expect(runs).not.toMatch(/npm install|curl|wget|sudo|chmod 777/);
  expect(stages.flatMap((stage) => all(stage, "ADD"))).toEqual([]);
  const names = stages.flatMap((stage) => /AS (\w+)$/.exec(all(stage, "FROM")[0]!)?.[1] ?? []);
  for (const copy of all(final, "COPY")) expect(names).toContain(/^--from=(\w+) /.exec(copy)?.[1]);
  const copied = all(stages[0]!, "COPY").flatMap((rest) => rest.split(" ").slice(0, -1));
  for (const name of copied.filter((one) => one !== "package-lock.json"))
    expect(existsSync(inRepository(`${TEMPLATE}/${name}`)), name).toBe(true);
  for (const line of [...copied, "package-lock.json"])
    expect(deployFile("Dockerfile.dockerignore")).toContain(`!${line}\n`);
  expect(stages.flatMap((stage) => [...all(stage, "ENV"), ...all(stage, "ARG")])).toEqual(["NODE_ENV=production"]);
});

test("Dockerfile: it starts what the build makes, with a command that exists, and no shell around it", () => {
  const [entry, command] = [list(all(final, "ENTRYPOINT")[0]!), list(all(final, "CMD")[0]!)];
  expect(entry).toEqual(["node", BIN]);
  expect(refusedBy(command)).toBeNull();
  expect(all(final, "EXPOSE")).toEqual([PORT]);
  expect(existsSync(inRepository("packages/runledger/bin/runledger.js"))).toBe(true);
  // `npm run build` in a new project writes the configuration to the path that these files use.
  const { compilerOptions, include } = readJson(inRepository(`${TEMPLATE}/tsconfig.json`)) as {
    compilerOptions: { outDir: string; rootDir: string };
    include: string[];
  };
  expect([compilerOptions.rootDir, include.includes("runledger.config.ts")]).toEqual([".", true]);
  expect(`${compilerOptions.outDir}/runledger.config.js`).toBe(CONFIG);
});

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly pids_limit?: number;
  readonly networks?: readonly string[];
  readonly restart?: string;
  readonly user?: string;
  readonly privileged?: boolean;
}

test("compose: PostgreSQL, a server and workers that wait for it; nothing is open to other machines", () => {
  const { services, volumes } = parse(deployFile("compose.yaml"), { merge: true }) as {
    services: Readonly<Record<string, Service>>;
    volumes: object;
  };
  const { postgres, server, worker } = services as Record<"postgres" | "server" | "worker", Service>;
  expect(postgres.image).toMatch(/^postgres:\d+\.\d+-/);
  expect(postgres.volumes).toEqual(["postgres:/var/lib/postgresql/data"]);
  expect(Object.keys(volumes)).toEqual(["postgres"]);
  expect(postgres.healthcheck?.test).toContain("pg_isready");
  for (const { build, command, environment, depends_on, read_only, cap_drop, user, privileged } of [server, worker]) {
    expect(existsSync(inRepository(build!.dockerfile))).toBe(true);
    expect(refusedBy(command)).toBeNull();
    expect(command).toContain(CONFIG);
    const store = environment["RUNLEDGER_STORE"]!;
    expect(store).toMatch(/^postgres:\/\/runledger:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:5432\/runledger$/);
    expect(depends_on).toEqual({ postgres: { condition: "service_healthy" } });
    expect([read_only, cap_drop, user, privileged]).toEqual([true, ["ALL"], undefined, undefined]);
  }
  for (const { ports = [], restart } of Object.values(services)) {
    expect(restart).toBe("unless-stopped");
    for (const port of ports) expect(port).toBe(`127.0.0.1:${PORT}:${PORT}`);
  }
  expect(server.command).toEqual(expect.arrayContaining(["serve", "--auth", "keys"]));
  expect(server.healthcheck?.test.join(" ")).toContain(`127.0.0.1:${PORT}/readyz`);
});

test.each(["server", "worker"])("the unit of a %s starts what exists, drains, and may do little", (role) => {
  const unit = unitFile(`runledger-${role}.service`);
  const value = (key: string): string | undefined => unit.get(key)?.at(-1);
  const [node, program, ...argv] = value("Service.ExecStart")!.split(" ");
  expect([node, program]).toEqual(["/usr/bin/node", BIN]);
  expect(refusedBy(argv)).toBeNull();
  expect(argv).toContain(CONFIG);
  expect(unit.get("Service.Environment")).toContain("NODE_ENV=production");
  expect(value("Service.EnvironmentFile")).toMatch(/^\/etc\//);
  expect(value("Service.User")).not.toMatch(/^(root|0)?$/);
  expect([value("Service.KillSignal"), value("Service.Restart")]).toEqual(["SIGTERM", "always"]);
  expect(Number(value("Service.TimeoutStopSec"))).toBeGreaterThanOrEqual(30);
  expect([value("Service.ProtectSystem"), value("Service.NoNewPrivileges")]).toEqual(["strict", "true"]);
  expect(value("Install.WantedBy")).toBe("multi-user.target");
});

test.each(["server", "worker"])("the unit of a %s cannot reach what it does not need", { tags: ["R-26"] }, (role) => {
  const unit = unitFile(`runledger-${role}.service`);
  const value = (key: string): string | undefined => unit.get(`Service.${key}`)?.at(-1);
  for (const name of ["ProtectClock", "ProtectHostname", "ProtectKernelLogs", "RestrictNamespaces", "RestrictRealtime"])
    expect([name, value(name)]).toEqual([name, "true"]);
  expect([value("SystemCallFilter"), value("SystemCallArchitectures")]).toEqual(["@system-service", "native"]);
  expect([value("ProtectProc"), value("LimitCORE"), value("CapabilityBoundingSet")]).toEqual(["invisible", "0", ""]);
});

test("compose: services drop privileges, and the database reaches nothing outside", { tags: ["R-26"] }, () => {
  const { services, networks } = parse(deployFile("compose.yaml"), { merge: true }) as {
    services: Readonly<Record<string, Service>>;
    networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  };
  for (const { cap_drop, security_opt, pids_limit } of Object.values(services)) {
    expect([cap_drop, security_opt]).toEqual([["ALL"], ["no-new-privileges:true"]]);
    expect(pids_limit).toBeGreaterThan(0);
  }
  expect(services["postgres"]!.networks).toEqual(["store"]);
  expect(networks["store"]?.internal).toBe(true);
});

test("the guide names every file of deploy/, and states that nothing of it was built", () => {
  const guide = readFileSync(inRepository("docs/guides/deploy.md"), "utf8");
  for (const name of ["Dockerfile", "compose.yaml", "runledger-server.service", "runledger-worker.service"])
    expect(guide).toContain(`(../../deploy/${name})`);
  expect(guide).toContain("We have not built an image from these files");
});
