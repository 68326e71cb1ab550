import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const repeat: Behavior = {
  name: "a repeat runs until its condition holds, and fails if it never does",
  prepare: () => {
    const counting = (id: string, enough: number) =>
      workflow(id, {}, (w) =>
        w.repeat(
          "poll",
          { max: 3, delay: "20ms" },
          (inner) => inner.step("count", ({ iteration }) => iteration + 1),
          ({ output }) => output >= enough,
        ),
      );
    const [ends, never] = [counting("repeat", 2), counting("repeat-never", 10)];
    return {
      workflows: [ends, never],
      play: async (stage) => {
        expect(await (await stage.start(ends)).result()).toBe(2);
        await expect((await stage.start(never)).result()).rejects.toMatchObject({ snapshot: { culprit: "poll" } });
      },
    };
  },
};
