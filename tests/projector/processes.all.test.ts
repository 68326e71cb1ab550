// @module-tag O-01
/** Projectors in their own processes, which are killed and suspended at every point. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { crashPoints } from "@runledger/runtime/projector/crash-points";
import { until } from "@runledger/test-support/until";
import { isCurrent, judged, recordCalls, start, useLog, write } from "./projected-log.js";
import { isStopped } from "./projector-process.js";

useLog();

test("after kill -9 at every crash point, the next projector continues", async () => {
  const recorded = recordCalls();
  for (const [round, point] of crashPoints.entries()) {
    const projector = start(point, String(round % 3));
    for (let more = 0; ; more++) {
      await write(recorded, round * 100 + more);
      const ended = await Promise.race([projector.ended, sleep(200)]);
      if (ended !== undefined) break;
    }
    expect(await projector.ended).toMatchObject({ signal: "SIGKILL" });
  }
  await write(recorded, crashPoints.length * 100); // and with no projector running
  expect(await isCurrent()).toBe(false);
  start();
  await until(isCurrent);
  await judged(recorded);
});

test("a projector that was suspended past its turn overwrites nothing", { tags: ["O-04", "R-09"] }, async () => {
  const recorded = recordCalls();
  await write(recorded, 0);
  // Before it folds, after it folded, and before it saves its cursor.
  const stopped = ["projections-read", "folded", "page-projected"].map((point) => start(point, "1", "SIGSTOP"));
  let round = 1;
  for (; !stopped.every(isStopped); round++) {
    await write(recorded, round); // so that the late projector has work to stop at
    await sleep(200);
  }
  const other = start();
  await write(recorded, round);
  await until(isCurrent);
  for (const each of stopped) each.kill("SIGCONT");
  for (let look = 0; look < 10; look++) {
    await sleep(50);
    expect(await isCurrent()).toBe(true);
  }
  other.kill("SIGKILL");
  await write(recorded, round + 1);
  await until(isCurrent);
  await judged(recorded);
});
