// @module-tag D-33
import { InputError, RetryError, RunledgerError } from "@runledger/contracts";
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
  const lose = async (pending: Pending, onSend: () => void) => {
    tries.push(pending);
    onSend();
    throw new RetryError("OUTCOME_UNKNOWN", "The response was lost.");
  };
  await expect(confirmations.use(token, intent, lose)).rejects.toThrow("was lost");
  await expect(confirmations.use(token, intent, idOf)).resolves.toBe(tries[0]!.signalId);
  const { token: refusing } = confirmations.issue(intent, "seq 7");
  const refuse = async () => Promise.reject(new InputError("STEP_NOT_FOUND", "stepId", "does not exist."));
  await expect(confirmations.use(refusing, intent, refuse)).rejects.toThrow("does not exist");
  await expect(confirmations.use(refusing, intent, idOf)).rejects.toEqual(refused);
});

test("an outage before the action is sent does not confirm the run as it is later", async () => {
  const confirmations = new Confirmations(() => 0);
  const { token } = confirmations.issue(intent, "seq 7");
  const away = () => Promise.reject(new RetryError("STORE_UNAVAILABLE", "The store cannot be reached."));
  await expect(confirmations.use(token, intent, away)).rejects.toThrow("cannot be reached");
  await expect(confirmations.use(token, intent, async ({ isSent }) => isSent)).resolves.toBe(false);
});

/** Like the errors of the API's client, which have the family that the server sent. */
class LostResponse extends RunledgerError {
  override readonly family = "retry";
}

test("a token stays valid if the response of a server was lost", async () => {
  const confirmations = new Confirmations(() => 0);
  const { token } = confirmations.issue(intent, "seq 7");
  const lost = new LostResponse("OUTCOME_UNKNOWN", "The response was lost.");
  const lose = async (_: Pending, onSend: () => void) => {
    onSend();
    throw lost;
  };
  await expect(confirmations.use(token, intent, lose)).rejects.toBe(lost);
  await expect(confirmations.use(token, intent, async ({ isSent }) => isSent)).resolves.toBe(true);
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
