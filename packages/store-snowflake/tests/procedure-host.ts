/** Runs procedures as Snowflake does: their bodies in a VM, their statements on the emulator. */
import { readFileSync } from "node:fs";
import { MessageChannel, Worker } from "node:worker_threads";
import { parseSnowflakeUrl } from "../src/connection-url.js";
import { openSession, type Value } from "../src/driver.js";
import { ES2019 } from "../../../scripts/lib/core-bundle.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";

interface Definition {
  readonly names: readonly string[];
  readonly body: string;
}

/** The body that a migration defines under this name, exactly as Snowflake would receive it. */
export function definitionOf(name: string, shape: string): Definition {
  const sql = readFileSync(inRepository(`packages/store-snowflake/migrations/0003-procedures.${shape}.sql`), "utf8");
  const found = new RegExp(`(?:PROCEDURE|FUNCTION) ${name}\\(([^)]*)\\)[^$]*\\$\\$([^]*?)\\$\\$`).exec(sql)!;
  return { names: found[1]!.split(", ").map((parameter) => parameter.split(" ")[0]!), body: found[2]! };
}

/** CALL name(…values). */
export async function callProcedure(
  url: string,
  { names, body }: Definition,
  values: readonly unknown[],
): Promise<{ readonly result?: unknown; readonly error?: string }> {
  const session = url === "" ? null : await openSession(parseSnowflakeUrl(url), 60_000);
  const { port1, port2 } = new MessageChannel();
  const flag = new SharedArrayBuffer(4);
  port1.on("message", ({ sqlText, binds }: { sqlText: string; binds: Value[] }) => {
    void session!
      .execute(sqlText, binds, 1)
      .then(
        (rows) => ({ rows }),
        (error: unknown) => ({ error: (error as Error).message }),
      )
      .then((answer) => {
        port1.postMessage(answer);
        Atomics.store(new Int32Array(flag), 0, 1);
        Atomics.notify(new Int32Array(flag), 0);
      });
  });
  const workerData = { body, names, values, port: port2, flag, preparation: ES2019 };
  const worker = new Worker(new URL("procedure-worker.mjs", import.meta.url), { workerData, transferList: [port2] });
  const answer = await new Promise<{ result?: string; error?: string }>((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
  });
  port1.close();
  await worker.terminate();
  await session?.close();
  const { result, ...refusal } = answer;
  return result === undefined ? refusal : { result: JSON.parse(result) as unknown };
}
