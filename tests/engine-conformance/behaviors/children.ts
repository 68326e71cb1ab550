import { workflow } from "runledger";
import { z } from "zod";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const children: Behavior = {
  name: "a child has its own run, which is started once per attempt, wakes its parent, and is cancelled with it",
  prepare: () => {
    const double = workflow("child-double", { input: z.object({ n: z.number() }) }, (w) =>
      w.step("double", ({ input }) => input.n * 2),
    );
    const broken = workflow("child-broken", {}, (w) =>
      w.step("break", (): string => {
        throw new Error("broken");
      }),
    );
    const stuck = workflow("child-stuck", {}, (w) => w.waitForSignal("never"));
    const parent = workflow("parent", {}, (w) => w.child("kid", double, { input: () => ({ n: 21 }) }));
    const tries = { retry: { attempts: 2, delay: "10ms" } } as const;
    const unlucky = workflow("parent-unlucky", {}, (w) => w.child("kid", broken, tries));
    const doomed = workflow("parent-doomed", {}, (w) => w.child("kid", stuck));
    return {
      workflows: [double, broken, stuck, parent, unlucky, doomed],
      play: async (stage) => {
        expect(await (await stage.start(parent)).result()).toBe(42);
        const failed = await stage.start(unlucky);
        await expect(failed.result()).rejects.toMatchObject({ snapshot: { culprit: "kid" } });
        expect(await stage.story(failed, "kid")).toHaveLength(4);
        const run = await stage.start(doomed);
        const { opened } = await stage.has(run, "StepStarted", "kid");
        const child = { id: (opened as { readonly childRunId: string }).childRunId };
        await stage.has(child, "StepStarted", "never");
        await run.cancel();
        await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "CANCELLED" } });
        await stage.has(child, "RunCancelled");
      },
    };
  },
};
