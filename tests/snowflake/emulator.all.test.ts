/** The emulator: its own tests, and that it comes and goes as it should. */
import { expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { describeWith, requireTool } from "../support/requirements.js";
import { emulatorPackages, startEmulator } from "./emulator/start.mjs";

describeWith("[S-12] Snowflake's emulator", [requireTool("python3")], () => {
  test("[S-12] the shim passes its own tests", { timeout: 600_000 }, async () => {
    const settings = { PYTHONPATH: await emulatorPackages(), PYTHONDONTWRITEBYTECODE: "1" };
    const cwd = inRepository("tests/snowflake/emulator");
    const { code, stderr } = await capture("python3", ["-m", "unittest", "test_emulator"], { cwd, env: settings });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/Ran 1\d tests/);
  });

  test("[S-12] it starts on a free port, answers, and is gone when it is stopped", { timeout: 600_000 }, async () => {
    const emulator = await startEmulator();
    const address = `${emulator.address}/telemetry/send`;
    expect((await fetch(address, { method: "POST" })).status).toBe(200);
    await emulator.stop();
    await expect(fetch(address, { method: "POST" })).rejects.toThrow("fetch failed");
  });
});
