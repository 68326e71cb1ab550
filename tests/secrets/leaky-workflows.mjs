/** Workflows whose steps leak secrets in every way. The environment names the secrets, the server that echoes and a file. */
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { secret, workflow } from "runledger";
import { z } from "zod";

const { PLANTED = "", ECHO_URL = "", HOLD_FILE = "", DBT_PROJECT = "" } = process.env;
const names = PLANTED.split(",");
const container = { continueOnFailure: true };
const optional = { ...container, retry: { attempts: 1 } };

/** The code of a project may keep a value, and use it where Runledger gives it none. */
/** @type {string[]} */
let kept = [];

/** @param {string} value */
function forms(value) {
  /** @param {string} text */
  const base64 = (text) => Buffer.from(text).toString("base64");
  const urls = [encodeURIComponent(value), new URLSearchParams({ value }).toString(), encodeURI(value)];
  return [
    value,
    JSON.stringify({ value }),
    base64(value),
    base64(`user:${value}`),
    base64(JSON.stringify(value)),
    ...urls,
  ];
}
const all = () => kept.flatMap(forms).join(" | ");
/**
 * A character may be two code units, which a program does not split.
 * @param {string} value
 */
const halves = (value) => {
  const characters = Array.from(value);
  const at = Math.floor(characters.length / 2);
  return [characters.slice(0, at).join(""), characters.slice(at).join("")];
};

/** @returns {never} */
function fail() {
  const innermost = { password: kept[0], text: all() };
  const cause = new Error(`cause ${all()}`, {
    cause: new AggregateError([new Error(kept.at(-1), { cause: innermost })]),
  });
  const error = new Error(`cannot log in: ${all()}`, { cause });
  error.stack = `Error: ${error.message}\n${kept.map((value) => `    at login (${value}.js:1:1)`).join("\n")}`;
  throw Object.assign(error, { code: kept[0] });
}

/**
 * The message is cut in the middle of the secret.
 * @param {string} value
 */
function failAtLength(value) {
  throw new Error("x".repeat(16 * 1024 - 12) + value, { cause: new Error("y".repeat(2_000 - 12) + value) });
}

async function trackSpan() {
  const span = trace.getTracer("user").startSpan(`query ${kept[0]}`, { attributes: { text: all(), list: kept } });
  span.addEvent(`event ${kept[0]}`, { text: all() });
  span.recordException(new Error(all()));
  span.setStatus({ code: SpanStatusCode.ERROR, message: all() });
  span.end();
}

/** @param {(text: string, fields?: Readonly<Record<string, import("@runledger/contracts").Json>>) => void} log */
function print(log) {
  log(all(), { text: all(), [`${kept[0]}`]: kept });
  for (const value of kept) for (const half of halves(value)) log(half);
  console.log(all());
  console.log("printed %s", kept[0], { kept, nested: [{ kept }] });
  console.error(new Error(all()));
}

/** A program that prints its secret in two pieces, in other forms, and fails. */
const PROGRAM = `
  const value = process.env.P;
  const [first, second] = (${halves.toString()})(value);
  process.stdout.write("out " + first);
  process.stderr.write(Buffer.from(value).toString("base64").slice(0, 7));
  setTimeout(() => {
    process.stdout.write(second + "\\n" + JSON.stringify({ value }) + encodeURIComponent(value));
    process.stderr.write(Buffer.from(value).toString("base64").slice(7) + value + "\\n");
    console.error({ value });
    process.exitCode = 3;
  }, 20);`;
const HOLD = `const wait = () => require("node:fs").existsSync(process.env.HOLD_FILE) || setTimeout(wait, 20); wait();`;

async function* inPieces() {
  for (const value of kept) yield* halves(`${value} ${Buffer.from(value).toString("base64")}\n`);
}

export const kid = workflow("kid", { version: "1", input: z.object({ text: z.string() }) }, (w) =>
  w.step("echo", ({ input }) => ({ input, text: all() })),
);

export const leaks = workflow(
  "leaks",
  { version: "1", state: { schema: z.object({ seen: z.string() }), initial: { seen: "" } } },
  (w) => {
    const keep = w.step("keep", async ({ secrets }) => {
      kept = await Promise.all(names.map((name) => secrets.get(name)));
      return kept.length;
    });
    const after = [keep];
    const steps = [
      w.step("returns", { ...optional, after }, () => ({
        text: all(),
        nested: kept.map((value) => ({ [value]: [value] })),
      })),
      w.step("logs", { ...optional, after }, ({ log }) => print(log)),
      w.step("throws", { ...optional, after }, () => fail()),
      w.step("throwsAnything", { ...optional, after }, () => {
        /** @type {any} */
        const thrown = { status: 42, kept };
        throw thrown;
      }),
      w.step("span", { ...optional, after }, () => trackSpan()),
      w.step("writes", { ...optional, after }, async ({ artifact, patch, progress }) => {
        progress(1, 2);
        patch({ seen: all() });
        await artifact.write("whole", all());
        return artifact.write("pieces", inPieces());
      }),
      w.step("kind", { ...optional, after }, ({ artifact }) => artifact.write(`${kept[0]}`, "nothing")),
      w.child("child", kid, { ...optional, after, input: () => ({ text: all() }) }),
      w.forEach("few", { ...container, after, items: () => kept }, (inner) => inner.step("one", ({ item }) => item)),
      w.forEach(
        "many",
        { ...container, after, items: () => Array.from({ length: 6 }, () => all().repeat(12)) },
        (inner) => inner.step("one", ({ item }) => item.length),
      ),
      w.when("branch", { ...container, after, if: () => fail() }, (inner) => inner.step("never", () => 1)),
      w.task("tree", { ...optional, after, kind: "tree", with: () => ({ kept }) }),
      w.sql("sql", { ...optional, after, text: "SELECT $1::text AS echo", params: () => [all()] }),
      w.sql("badSql", { ...optional, after, text: "SELECT $1::integer AS echo", params: () => [`${kept[0]}`] }),
      w.command("hold", {
        ...optional,
        after,
        run: ["node", "-e", HOLD],
        env: { HOLD_FILE, P: secret(names[0] ?? "") },
      }),
    ];
    names.forEach((name, place) => {
      const headers = { authorization: secret(name, { prefix: "Bearer " }) };
      /** @param {string} path */
      const url = (path) => () => ({ url: `${ECHO_URL}/${path}?q=${encodeURIComponent(`${kept[place]}`)}`, headers });
      steps.push(
        ...["echo", "refuse", "broken"].map((path) =>
          w.http(`${path}${place}`, { ...optional, after, request: url(path) }),
        ),
        w.command(`prints${place}`, { ...optional, after, run: ["node", "-e", PROGRAM], env: { P: secret(name) } }),
        w.command(`shows${place}`, { ...optional, after, run: () => ["node", "-e", "", `--password=${kept[place]}`] }),
        w.step(`long${place}`, { ...optional, after }, () => failAtLength(`${kept[place]}`.trim())),
      );
      if (DBT_PROJECT === "" || place !== 1) return;
      const options = { project: DBT_PROJECT, env: { P: { secret: name } } };
      steps.push(w.task(`dbt${place}`, { ...optional, after, kind: "dbt", with: options }));
    });
    return w.step("last", { after: steps }, ({ state }) => ({ state, text: all() }));
  },
);
