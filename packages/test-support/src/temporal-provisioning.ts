/**
 * Where tests get a Temporal server from: a configured program, an earlier build, a build with Go, or Java's test server.
 * `provisionTemporal` makes one of them ready before the first test starts. Tests use what is ready and build nothing.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached, cachedPath } from "../../../scripts/lib/cache-folder.mjs";
import { isOnPath } from "../../../scripts/lib/on-path.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import type { Requirement } from "./requirements.js";

/** The last version that builds from the module proxy. It contains server 1.29. */
const VERSION = "1.5.1";
const BUILD = `temporal-cli-${VERSION}`;
const JAVA_VERSION = "1.38.0";
const JARS = `temporal-test-server-${JAVA_VERSION}`;
const BUILD_MS = 1_800_000;

/** `program`: Temporal's command, which contains a server. `java`: a server in memory, without lists and commands. */
export type ReadyTemporal =
  { readonly kind: "program"; readonly program: string } | { readonly kind: "java"; readonly jars: string };

const NONE = "no Temporal server: set RUNLEDGER_TEMPORAL to a program, or install Go 1.25, or Java 17 and Maven";
const ONLY_JAVA =
  "Java's test server cannot list, restart or inspect executions: set RUNLEDGER_TEMPORAL, or install Go 1.25";

/** A server that keeps its executions in a file and whose executions can be listed and inspected. */
export const requireTemporal: Requirement = () => {
  const ready = readyTemporal();
  if (ready === null) return NONE;
  return ready.kind === "program" ? null : ONLY_JAVA;
};

/** Any server. For suites that only execute runs. */
export const requireAnyTemporal: Requirement = () => (readyTemporal() === null ? NONE : null);

/** Returns the server that tests can start now, the best one first. */
export function readyTemporal(): ReadyTemporal | null {
  const program = configured() ?? join(cachedPath(BUILD), "temporal");
  if (existsSync(program)) return { kind: "program", program };
  const jars = cachedPath(JARS);
  return existsSync(jars) && isOnPath("java") ? { kind: "java", jars } : null;
}

function configured(): string | undefined {
  const program = process.env["RUNLEDGER_TEMPORAL"] ?? "";
  if (program === "") return undefined;
  if (!existsSync(program)) throw new Error(`RUNLEDGER_TEMPORAL names ${program}, which does not exist.`);
  return program;
}

/**
 * Builds the server if necessary, which takes minutes. Also downloads Java's test server: it is the fallback, and the only
 * one that can skip time. `report` receives failed builds.
 */
export async function provisionTemporal(report: (error: unknown) => void): Promise<void> {
  const mustBuild = requireTemporal() !== null && isOnPath("go");
  const canDownload = isOnPath("java") && isOnPath("mvn");
  await Promise.all([mustBuild && buildWithGo().catch(report), canDownload && javaTestServer().catch(report)]);
}

function buildWithGo(): Promise<string> {
  return cached(BUILD, async (draft) => {
    const env = { GOFLAGS: "-mod=mod", GOBIN: draft, CGO_ENABLED: "0" };
    const source = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;
    const args = ["install", "-trimpath", "-ldflags", "-s -w", source];
    const { code, stderr } = await capture("go", args, { cwd: draft, env, timeoutMs: BUILD_MS });
    if (code !== 0) throw new Error(`go install of the Temporal server failed: ${stderr}`);
  });
}

function javaTestServer(): Promise<string> {
  return cached(JARS, async (draft) => {
    writeFileSync(join(draft, "pom.xml"), POM);
    const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${draft}`, "-DincludeScope=runtime"];
    const { code, stdout, stderr } = await capture("mvn", args, { cwd: draft, timeoutMs: BUILD_MS });
    if (code !== 0) throw new Error(`mvn could not get Temporal's test server: ${stdout}${stderr}`);
  });
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>runledger</groupId><artifactId>temporal-test-server</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>io.temporal</groupId><artifactId>temporal-test-server</artifactId><version>${JAVA_VERSION}</version>
  </dependency></dependencies>
</project>
`;
