import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";
import { z } from "zod";

const count = workflow(
  "count",
  {
    version: "1",
    input: z.object({ rows: z.number() }),
    state: { schema: z.object({ seen: z.number() }), initial: { seen: 0 } },
  },
  (w) => {
    const first = w.step("first", (ctx) => {
      ctx.log("counting", { run: ctx.runId, step: ctx.stepId, attempt: ctx.attempt });
      ctx.progress(1, ctx.input.rows);
      ctx.patch({ seen: ctx.state.seen + ctx.input.rows }); // merged when the step completes
      ctx.checkpoint();
      if (ctx.partition !== undefined) ctx.log(ctx.partition.key); // a run of a partitioned workflow
      ctx.signal.throwIfAborted(); // aborted by a timeout, a cancel or a lost lease
      return { key: ctx.idempotencyKey, attemptKey: ctx.attemptKey, scheduled: ctx.schedule !== undefined };
    });
    return w.step("second", { needs: { first } }, ({ needs, state }) => ({
      seen: state.seen,
      scheduled: needs.first.scheduled,
      differ: needs.first.key !== needs.first.attemptKey,
    }));
  },
);

const progress: number[] = [];
await using ledger = await testLedger({ workflows: [count], onProgress: ({ done }) => void progress.push(done) });
const run = await ledger.start(count, { input: { rows: 3 } });
assert.deepEqual(await run.result(), { seen: 3, scheduled: false, differ: true });
assert.deepEqual(progress, [1]);
