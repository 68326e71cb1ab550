// @module-tag S-12
/** Tests the emulator itself, and that it starts and stops correctly. */
import { expect, test } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { emulatorPackages, startEmulator } from "@runledger/test-support/snowflake-emulator.mjs";

describeWith("Snowflake's emulator", [requireTool("python3")], () => {
  test("the shim passes its own tests", { timeout: 600_000 }, async () => {
    const settings = { PYTHONPATH: await emulatorPackages(), PYTHONDONTWRITEBYTECODE: "1" };
    const cwd = inRepository("packages/store-snowflake/tests/emulator");
    const { code, stderr } = await capture("python3", ["-m", "unittest", "test_emulator"], { cwd, env: settings });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/Ran 1\d tests/);
  });

  test("the emulator starts on a free port, responds, and is gone after a stop", { timeout: 600_000 }, async () => {
    const emulator = await startEmulator();
    const address = `${emulator.address}/telemetry/send`;
    expect((await fetch(address, { method: "POST" })).status).toBe(200);
    await emulator.stop();
    await expect(fetch(address, { method: "POST" })).rejects.toThrow("fetch failed");
  });
});
