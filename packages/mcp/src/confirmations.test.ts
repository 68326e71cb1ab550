// @module-tag D-33
import { InputError, RetryError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { Confirmations, type Intent, type Pending } from "./confirmations.js";

const intent: Intent = { runId: "run_1", action: "RETRY_RUN" };
const idOf = async ({ signalId }: Pending) => signalId;
const refused = expect.objectContaining({ code: "CONFIRMATION_INVALID" }) as InputError;

test("a token acts once, and only for its run, action and step", async () => {
  const confirmations = new Confirmations(() => 0);
  const { token } = confirmations.issue(intent, "seq 7");
  for (const other of [{ runId: "run_2" }, { action: "CANCEL" }, { action: "RETRY_STEP", stepId: "a" }] as const)
    await expect(confirmations.use(token, { ...intent, ...other }, idOf)).rejects.toEqual(refused);
  await expect(confirmations.use(token, intent, async ({ standing }) => standing)).resolves.toBe("seq 7");
  await expect(confirmations.use(token, intent, idOf)).rejects.toEqual(refused);
});

test("a token expires after five minutes", async () => {
  let now = 0;
  const confirmations = new Confirmations(() => now);
  const tokens = [1, 2].map(() => confirmations.issue(intent, "seq 7").token);
  now = 5 * 60_000 - 1;
  await expect(confirmations.use(tokens[0]!, intent, idOf)).resolves.toMatch(/^mcp_/);
  now++;
  await expect(confirmations.use(tokens[1]!, intent, idOf)).rejects.toEqual(refused);
});

test("a token whose outcome is unknown can be used again, and its action keeps its id", async () => {
  const confirmations = new Confirmations(() => 0);
  const { token } = confirmations.issue(intent, "seq 7");
  const tries: Pending[] = [];
  const lose = async (pending: Pending) => {
    tries.push(pending);
    throw new RetryError("OUTCOME_UNKNOWN", "The response was lost.");
  };
  await expect(confirmations.use(token, intent, lose)).rejects.toThrow("was lost");
  await expect(confirmations.use(token, intent, idOf)).resolves.toBe(tries[0]!.signalId);
  const { token: refusing } = confirmations.issue(intent, "seq 7");
  const refuse = async () => Promise.reject(new InputError("STEP_NOT_FOUND", "stepId", "does not exist."));
  await expect(confirmations.use(refusing, intent, refuse)).rejects.toThrow("does not exist");
  await expect(confirmations.use(refusing, intent, idOf)).rejects.toEqual(refused);
});

test("two calls at the same time with one token act once", async () => {
  const confirmations = new Confirmations(() => 0);
  const { token } = confirmations.issue(intent, "seq 7");
  const calls = await Promise.allSettled([1, 2].map(() => confirmations.use(token, intent, idOf)));
  expect(calls.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

test("only the newest 100 tokens are kept", async () => {
  const confirmations = new Confirmations(() => 0);
  const tokens = Array.from({ length: 101 }, () => confirmations.issue(intent, "seq 7").token);
  await expect(confirmations.use(tokens[0]!, intent, idOf)).rejects.toEqual(refused);
  await expect(confirmations.use(tokens[1]!, intent, idOf)).resolves.toMatch(/^mcp_/);
});
