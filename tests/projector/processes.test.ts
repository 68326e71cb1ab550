// @module-tag O-01
/** Projectors in their own processes, which take over from each other. */
import { test } from "vitest";
import { PARTITIONS } from "@runledger/runtime/projector/partitions";
import { until } from "@runledger/test-support/until";
import { isCurrent, judged, recordCalls, start, useLog, write } from "./projected-log.js";
import { said } from "./projector-process.js";

useLog();

test("several processes share runs, and take over those of a killed one", async () => {
  const recorded = recordCalls();
  const projectors = [start(), start(), start()];
  const shared = () => projectors.flatMap((each) => said(each).partitions);
  const isShared = () => new Set(shared()).size === PARTITIONS && shared().length === PARTITIONS;
  await until(() => isShared() && projectors.every((each) => said(each).partitions.length > 0));
  await write(recorded, 1);
  await until(isCurrent);
  await until(() => projectors.every((each) => (said(each).metrics["projector_saves_total"] ?? 0) > 0));
  projectors[1]!.kill("SIGKILL");
  await write(recorded, 2);
  await until(isCurrent);
  projectors.splice(1, 1);
  await until(() => new Set(shared()).size === PARTITIONS);
  projectors[0]!.kill("SIGTERM");
  await projectors[0]!.ended;
  await write(recorded, 3);
  await until(isCurrent);
  await judged(recorded);
});
