// @module-tag D-01
import { ArtifactsUnavailableError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { classifyError } from "./classify-error.js";

test("callers do not see the address of a bucket that cannot be reached", () => {
  const cause = new Error("connect ECONNREFUSED 10.0.3.7:9000");
  const { error, isFault, isHidden } = classifyError(new ArtifactsUnavailableError("s3://runs/prefix", cause));
  expect(error).toMatchObject({ code: "ARTIFACTS_UNAVAILABLE", family: "retry" });
  expect(error.message).not.toMatch(/10\.0|s3:/);
  expect([isFault, isHidden]).toEqual([false, true]);
});
