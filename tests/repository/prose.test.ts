import { expect, test } from "vitest";
import { judge } from "../../scripts/lib/prose-baseline.mjs";
import { findings } from "../../scripts/lib/prose.mjs";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";

const phrases = (file: string, text: string) => findings(file, text).map(({ phrase }) => phrase);

test.each([
  ["a.ts", `/** What a run follows. */`, "What a run follows."],
  ["a.ts", `/** Of a child: its parent. */`, "Of a child: its parent."],
  ["a.ts", `/** Who started it. */`, "Who started it."],
  ["a.ts", `/** Where the step stands in the plan. */`, "Where the step stands in"],
  ["a.ts", `/** Null = nobody owns it. */`, "Null ="],
  ["a.ts", `// Reads what is left. What was acknowledged is never lost.`, "What was acknowledged is"],
  ["a.ts", `// whoever claims it`, "whoever"],
  ["a.ts", `// The worker claims it\n// anew.`, "anew"],
  ["a.ts", `const text = "the run goes on";`, "goes on"],
  ["a.ts", "const text = `the run ${id} goes on`;", "goes on"],
  ["a.ts", "const text = `${a ? `is it ${b} anew` : c} told`;", "anew"],
  ["a.test.ts", `test("[L-1] a lost worker gives back its run", () => {});`, "gives back"],
  ["a.tsx", `const a = <p className="x">It pauses when the step's work has ended</p>;`, "has ended"],
  ["a.tsx", `const a = <p>{count} runs are under way</p>;`, "under way"],
  ["a.sql", `select 1; -- null = never`, "null ="],
  ["a.md", `# What it is\n\nThe worker\nis told to stop.`, "is told"],
  ["a.md", "```ts\nstart(); // whoever is first\n```", "whoever"],
  ["a.css", `/* the colour of a link */`, "colour"],
  ["a.yaml", `a: 1 # the behaviour`, "behaviour"],
  ["a.json", `{ "description": "Whether it is organised" }`, "organised"],
])("a planted phrase is found in %s: %s", { tags: ["N-10", "N-11"] }, (file, text, phrase) => {
  expect(phrases(file, text)).toContain(phrase);
});

test.each([
  ["a.ts", `const whoever = nobody["anew"]; goes.on(behaviour); // done`],
  ["a.ts", `const pattern = /["'] whoever/.test(text) ? "one two" : 'three four';`],
  ["a.ts", "/** Returns `null` if the run has no deadline. `whoever` is a name. */"],
  ["a.ts", `/** Whether the worker owns the run. Waiters are notified immediately; all others poll. */`],
  ["a.ts", `const question = "What is this run waiting for?";`],
  ["a.ts", "const text = `${count} of the runs`;"],
  ["a.tsx", `const a = items.length > 0 && rest < 3 ? <b title="x y">Retry the step</b> : null;`],
  ["a.md", "# What it does\n\nSee [the guide](docs/whoever.md) and `goes on`.\n\n```sh\necho anew\n```"],
  ["a.sql", `begin; select 'whoever is first'; -- Locks the head.`],
])("a correct text in %s passes: %s", (file, text) => {
  expect(phrases(file, text)).toEqual([]);
});

test("a finding has the line of its phrase", () => {
  expect(findings("a.ts", `\n/**\n * Claims the run\n * anew.\n */\n`)).toEqual([
    { file: "a.ts", line: 4, phrase: "anew", advice: 'write "again"' },
  ]);
});

test("a file above its baseline fails, a file that moved keeps its allowance", { tags: ["N-11"] }, () => {
  const exists = (file: string) => file !== "old.ts";
  expect(judge({ "a.ts": 3 }, { "a.ts": 2 }, exists)).toEqual({ risen: ["a.ts"], fallen: 0 });
  expect(judge({ "a.ts": 1 }, { "a.ts": 2 }, exists)).toEqual({ risen: [], fallen: 1 });
  expect(judge({ "new.ts": 2 }, { "old.ts": 2 }, exists)).toEqual({ risen: [], fallen: 0 });
  expect(judge({ "new.ts": 3 }, { "old.ts": 2 }, exists)).toEqual({ risen: ["new.ts"], fallen: 0 });
});

const baseline = readJson(inRepository("scripts/prose-baseline.json")) as Record<string, number>;

test("npm run check runs the prose check, and no file is above the baseline", { tags: ["N-10", "N-11"] }, async () => {
  const { scripts } = readJson(inRepository("package.json")) as { scripts: Record<string, string> };
  expect(scripts["check:prose"]).toBe("node scripts/check-prose.mjs"); // check runs every script that starts with check:
  const { code, stderr } = await capture(process.execPath, [inRepository("scripts/check-prose.mjs")]);
  expect(code, stderr).toBe(0);
});

test("the baseline has no file whose text a user can see", { tags: ["N-10"] }, () => {
  const unseen = /^(tests|bench|scripts)\/|\.test(-d)?\.tsx?$/;
  expect(Object.keys(baseline).filter((file) => !unseen.test(file))).toEqual([]);
});

test("the baseline has fewer than fifty entries", { tags: ["N-11"] }, () => {
  expect(Object.values(baseline).reduce((sum, count) => sum + count, 0)).toBeLessThan(50);
});
