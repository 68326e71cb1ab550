import { expect, test } from "vitest";
import { makeProgram } from "./program.js";
import { verbs } from "./verbs.js";

const namesOf = async (argv?: readonly string[]): Promise<string[]> =>
  (await makeProgram(argv)).commands.map((command) => command.name());

test("whoever names no verb, or one that is not there, gets them all, in their order", async () => {
  const all = [...verbs.keys()];
  expect(await namesOf()).toEqual(all);
  expect(await namesOf(["--help"])).toEqual(all);
  expect(await namesOf(["--store", "runs", "wtach", "run_1"])).toEqual(all);
});

test.each([...verbs.keys()])("%s is loaded where it is named, behind whatever options", async (verb) => {
  const names = await namesOf(["--store", "runs", verb, "--json", "watch"]);
  expect(names).toContain(verb);
  expect(names.length).toBeLessThan(verbs.size / 2);
});
