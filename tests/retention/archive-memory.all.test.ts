// @module-tag B-31
/** A run that is far larger than the memory of the commands that archive, read and restore it. */
import { join } from "node:path";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshFolder, runledger } from "@runledger/test-support/runledger-command";
import { expect, onTestFinished, test } from "vitest";

const EVENTS = 12_000;
const TEXT = "x".repeat(20_000);
/** Below the 240 MB of the run. */
const HEAP_MB = 192;

test("commands need less memory than the run that they archive, verify and restore", async () => {
  const [source, target] = [await freshDatabase(), await freshDatabase()];
  for (const { drop } of [source, target]) onTestFinished(drop);
  const store = await PostgresStore.open({ url: source.url });
  const event = (eventType: string, more: object = {}) =>
    newEvent({ runId: "large", eventType, planId: "p", planVersion: "1", ...more });
  await store.appendEvent(event("RunStarted"));
  for (let from = 0; from < EVENTS; from += 500)
    await store.appendEvents(
      Array.from({ length: 500 }, (_, n) =>
        event("StepStarted", { stepId: `s${from + n}`, eventData: { n: from + n, TEXT } }),
      ),
    );
  await store.appendEvent(event("RunCompleted"));
  await store.close();

  const cwd = freshFolder();
  const archive = join(cwd, "archive");
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const command = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runledger({ cwd, env }, ...args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  await command("store", "archive", "--older-than", "0s", "--to", archive, "--store", source.url);
  expect(await command("store", "archive", "verify", archive)).toContain(`${EVENTS + 2} events verified`);
  await command("store", "import", "--from", archive, "--store", target.url);
  const counted =
    "SELECT count(*)::int AS n, md5(string_agg(content_hash::text, '' ORDER BY run_seq)) AS hash FROM runledger";
  expect(await query(target.url, `${counted}.run_events`)).toEqual(
    await query(source.url, `${counted}.run_events_archive`),
  );
});
