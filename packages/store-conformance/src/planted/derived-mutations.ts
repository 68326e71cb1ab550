/** Faults in keyframes and derived data, one per mutation. */
import type { DerivedData, Keyframes } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const derived = (change: (real: DerivedData) => Partial<DerivedData>): Mutation => ({
  store: (real) => ({ derived: overlay(real.derived!, change(real.derived!)) }),
});
const keyframes = (change: (real: Keyframes) => Partial<Keyframes>): Mutation => ({
  store: (real) => ({ keyframes: overlay(real.keyframes!, change(real.keyframes!)) }),
});

export const derivedMutations: Readonly<Record<string, () => Mutation>> = {
  "keyframes have no steps": () =>
    keyframes((real) => ({
      loadKeyframe: async (params) => {
        const found = await real.loadKeyframe(params);
        return found && { ...found, steps: [] };
      },
    })),
  "the newest keyframe is loaded": () =>
    keyframes((real) => ({ loadKeyframe: ({ runId }) => real.loadKeyframe({ runId, atSeq: 1e9 }) })),
  "keyframes are always due": () =>
    keyframes((real) => ({
      listKeyframes: async (runId) => {
        const seqs = await real.listKeyframes(runId);
        return [...seqs, ...seqs.map((seq) => seq + 1)];
      },
    })),
  "keyframes stay": () => {
    const known = new Map<string, readonly number[]>();
    return keyframes((real) => ({
      listKeyframes: async (runId) => {
        const seqs = await real.listKeyframes(runId);
        return seqs.length === 0 ? (known.get(runId) ?? []) : seqs;
      },
      makeKeyframes: async (runIds) => {
        await real.makeKeyframes(runIds);
        for (const runId of runIds) known.set(runId, await real.listKeyframes(runId));
      },
    }));
  },
  "steps are left out of the proof": () =>
    derived((real) => ({ readDerived: async (runId) => ({ ...(await real.readDerived(runId)), steps: [] }) })),
  "a rebuild adds to what is there": () => ({
    store: (real) => ({
      derived: overlay(real.derived!, {
        replaceProjection: async ({ header, steps }) => {
          const stored = await real.snapshots.readProjection({ runId: header.runId, stepIds: [] });
          return real.snapshots.saveProjection({ readSeq: stored?.header.lastEventSeq ?? 0, header, steps });
        },
      }),
    }),
  }),
  "a rebuild goes back": () => ({
    store: (real) => ({
      derived: overlay(real.derived!, {
        replaceProjection: async (rebuilt) => {
          await real.snapshots.deleteProjection(rebuilt.header.runId);
          return real.derived!.replaceProjection(rebuilt);
        },
      }),
    }),
  }),
  "a rebuild forgets its keyframes": () =>
    derived((real) => ({ replaceProjection: (rebuilt) => real.replaceProjection({ ...rebuilt, keyframes: [] }) })),
  "runs are listed in one page": () =>
    derived((real) => ({ listDerived: ({ limit }) => real.listDerived({ afterRunId: "", limit }) })),
};
