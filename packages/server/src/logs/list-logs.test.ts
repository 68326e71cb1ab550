// @module-tag U-10
import { workflow } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, TOKEN } from "@runledger/test-support/test-server";

function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Two parallel steps. The first to print is the last to finish. */
function parallel() {
  const gates = { slow: gate(), rest: gate() };
  const flow = workflow("parallel", { version: "1" }, (w) => {
    w.step("slow", async ({ log }) => {
      log("slow 1");
      await gates.slow.opened;
      log("slow 2");
      await gates.rest.opened;
      log("slow 3");
    });
    w.step("quick", async ({ log }) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      log("quick 1");
    });
  });
  return { flow, gates };
}

test("pages contain lines that a step prints after a later log is complete", async () => {
  const { flow, gates } = parallel();
  const { client, ledger } = await testServer([flow]);
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  const seen: string[] = [];
  let after: string | null = null;
  const read = async (): Promise<number> => {
    const page = await client.listLogs(run.id, after === null ? {} : { after });
    seen.push(...page.items.map(({ text }) => text));
    after = page.next ?? after;
    return seen.length;
  };
  await expect.poll(read).toBe(2);
  gates.slow.open();
  await expect.poll(read).toBe(3);
  gates.rest.open();
  await run.result();
  await expect.poll(read).toBe(4);
  await read();
  expect(seen).toEqual(["slow 1", "quick 1", "slow 2", "slow 3"]);
  const small: string[] = [];
  for (let next: string | null = null, more = true; more;) {
    const page = await client.listLogs(run.id, { limit: 1, ...(next === null ? {} : { after: next }) });
    small.push(...page.items.map(({ text }) => text));
    [next, more] = [page.next, page.items.length > 0];
  }
  expect(small.toSorted()).toEqual(seen.toSorted());
  expect(await client.listLogs(run.id, { stepId: "quick" })).toMatchObject({ items: [{ stepId: "quick" }] });
  await expect(client.listLogs(run.id, { after: "bm9uc2Vuc2U" })).rejects.toMatchObject({ code: "REQUEST_INVALID" });
});

test("a log stream resumes after a lost connection and delivers each line once until the run finishes", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const { flow, gates } = parallel();
  const { client, ledger, server } = await testServer([flow], { store: database.url });
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  const seen: string[] = [];
  for await (const { text } of client.streamLogs(run.id)) {
    seen.push(text);
    if (seen.length === 2) break; // the connection is lost
  }
  const first = await fetch(`${server.url}/api/v1/runs/${run.id}/logs/stream`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const reader = first.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("quick 1")) text += (await reader.read()).value;
  await reader.cancel();
  const id = [...text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!;
  gates.slow.open();
  gates.rest.open();
  const rest = await fetch(`${server.url}/api/v1/runs/${run.id}/logs/stream`, {
    headers: { authorization: `Bearer ${TOKEN}`, "last-event-id": id },
  });
  const told = await rest.text();
  expect([...told.matchAll(/"text":"([^"]*)"/g)].map(([, line]) => line)).toEqual(["slow 2", "slow 3"]);
  expect(told).toContain("event: ended");
  expect(seen).toEqual(["slow 1", "quick 1"]);
});

test("artifacts are listed, and downloads are attachments of type octet-stream", async () => {
  const flow = workflow("files", { version: "1" }, (w) => {
    w.step("write", async ({ artifact, log }) => {
      log("writing");
      await artifact.write('re"port.html', "<script>alert(1)</script>");
    });
  });
  const { client, ledger, call } = await testServer([flow]);
  await ledger.worker({ workflows: [flow] });
  const [run, other] = [await ledger.start(flow), await ledger.start(flow)];
  await Promise.all([run.result(), other.result()]);
  const { items } = await client.listArtifacts(run.id, { stepId: "write" });
  expect(items.map(({ kind }) => kind).toSorted()).toEqual(["log", 're"port.html']);
  const page = await client.listArtifacts(run.id, { limit: 1 });
  expect(await client.listArtifacts(run.id, { after: page.next! })).toMatchObject({ items: [items[1]], next: null });
  const file = items.find(({ kind }) => kind !== "log")!;
  const saved = await client.getArtifact(run.id, file.artifactId);
  expect(await saved.text()).toBe("<script>alert(1)</script>");
  expect(Object.fromEntries(saved.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="write-re_port.html-${file.artifactId}"`,
    "x-content-type-options": "nosniff",
    "content-length": String(file.sizeBytes),
  });
  for (const [id, artifactId] of [
    [other.id, file.artifactId],
    [run.id, "art_0"],
    [run.id, "x"],
    ["run_absent", file.artifactId],
  ] as const)
    expect((await call("GET", `/runs/${id}/artifacts/${artifactId}`)).status).toBe(404);
});
