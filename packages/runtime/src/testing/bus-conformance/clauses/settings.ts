import assert from "node:assert/strict";
import { InputError } from "@runledger/contracts";
import type { BusClause } from "../bus-clause.js";

export const settings: BusClause = {
  name: "settings",
  needs: [],
  tests: {
    "`check` accepts the settings, and reports a wrong one as an InputError": async ({ under }) => {
      const { factory } = under;
      if (factory.check === undefined) return;
      factory.check(under.settings);
      assert.throws(() => factory.check!({ ...under.settings, "no such setting": 1 }), InputError);
    },
  },
};
