import { expect, test } from "vitest";
import { makeProgram } from "../program.js";
import { commandLoaders } from "./command-loaders.js";

const namesOf = async (argv?: readonly string[]): Promise<string[]> =>
  (await makeProgram(argv)).commands.map((command) => command.name());

test("all commands are loaded, in order, if the arguments name no known command", async () => {
  const all = [...commandLoaders.keys()];
  expect(await namesOf()).toEqual(all);
  expect(await namesOf(["--help"])).toEqual(all);
  expect(await namesOf(["--store", "runs", "wtach", "run_1"])).toEqual(all);
});

test.each([...commandLoaders.keys()])("%s is loaded alone, regardless of options before it", async (command) => {
  const names = await namesOf(["--store", "runs", command, "--json", "watch"]);
  expect(names).toContain(command);
  expect(names.length).toBeLessThan(commandLoaders.size / 2);
});
