/** Faults in the run index, one per mutation. */
import type { RunFilter, RunIndex } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const index = (change: (real: RunIndex) => Partial<RunIndex>): Mutation => ({
  store: (real) => ({ index: overlay(real.index!, change(real.index!)) }),
});

type Listing = Parameters<RunIndex["listRuns"]>[0];

/** Lists with other parameters than the caller's. */
const asks = (other: (params: Listing) => Listing) => (): Mutation =>
  index((real) => ({ listRuns: (params) => real.listRuns(other(params)) }));

/** Lists without some parts of the filter. */
const forgets = (...names: readonly (keyof RunFilter)[]) =>
  asks((params) => ({
    ...(Object.fromEntries(
      Object.entries(params).filter(([name]) => !names.includes(name as keyof RunFilter)),
    ) as unknown as Listing),
    tenantId: params.tenantId,
  }));

export const indexMutations: Readonly<Record<string, () => Mutation>> = {
  "a list shows ids only": () =>
    index((real) => ({
      listRuns: async (params) => {
        const page = await real.listRuns(params);
        return { ...page, runs: page.runs.map(({ runId }) => ({ runId }) as never) };
      },
    })),
  "a list is always fresh": () =>
    index((real) => ({
      listRuns: async (params) => {
        const page = await real.listRuns(params);
        return { ...page, runs: page.runs.map(({ stale: _, ...run }) => run) };
      },
    })),
  "the plan does not matter": forgets("planId"),
  "the version does not matter": forgets("planVersion"),
  "the status does not matter": forgets("status"),
  "labels do not matter": forgets("labels"),
  "the error does not matter": forgets("errorText"),
  "time does not matter": forgets("createdFrom", "createdTo"),
  "the tenant does not matter": () =>
    index((real) => ({
      listRuns: (params) => real.listRuns({ ...params, tenantId: "default" }),
      countRuns: (params) => real.countRuns({ ...params, tenantId: "default" }),
    })),
  "one label is enough": asks((params) => ({
    ...params,
    ...(params.labels === undefined ? {} : { labels: Object.fromEntries(Object.entries(params.labels).slice(-1)) }),
  })),
  "a page forgets where it ended": asks(({ cursor: _, ...params }) => ({ ...params, limit: 100 })),
  "the oldest come first": () =>
    index((real) => ({
      listRuns: async (params) => {
        const page = await real.listRuns({ ...params, limit: 1000 });
        return { runs: page.runs.toReversed().slice(0, params.limit), cursor: null };
      },
    })),
  "counts are of everything": () => index((real) => ({ countRuns: ({ tenantId }) => real.countRuns({ tenantId }) })),
  "counts are lost": () =>
    index((real) => ({ countRuns: async (params) => ({ ...(await real.countRuns(params)), COMPLETED: 19 }) })),
  "a histogram is of everything": () =>
    index((real) => ({ histogram: ({ planId: _, ...params }) => real.histogram(params) })),
  "deleted projections are still found": () => ({
    store: (real) => ({ snapshots: overlay(real.snapshots, { deleteProjection: async () => {} }) }),
  }),
  "one bad change spoils all": () => ({
    store: (real) => ({
      snapshots: overlay(real.snapshots, {
        saveProjections: async (changes) => {
          const saved: boolean[] = [];
          for (const change of changes) saved.push(await real.snapshots.saveProjection(change));
          return saved.every(Boolean) ? saved : changes.map(() => false);
        },
      }),
    }),
  }),
  "long texts are cut": () =>
    index((real) => ({
      listRuns: (params) => {
        const { environmentId = "", ...rest } = params;
        return real.listRuns(environmentId.length > 100 ? rest : params);
      },
    })),
  "every question is answered": () =>
    index((real) => ({ listRuns: (params) => real.listRuns(params).catch(() => ({ runs: [], cursor: null })) })),
};
