/** The port `datasets` as callers see it. */
import {
  checkIdentifier,
  InputError,
  MAX_DATASET_NAME,
  type DatasetIndex,
  type DatasetName,
} from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

const tenant = (tenantId: string) => () => checkIdentifier("tenantId", tenantId);
const whole = (limit: number) => () => checkWhole("limit", limit, 1);

function named({ namespace, name }: DatasetName): () => void {
  return () => {
    for (const [field, value] of Object.entries({ namespace, name }))
      if (!isName(value))
        throw new InputError("OPTION_INVALID", field, `must be a text of 1 to ${MAX_DATASET_NAME} characters.`);
  };
}

function isName(value: unknown): boolean {
  const isText = typeof value === "string" && value !== "" && value.length <= MAX_DATASET_NAME;
  return isText && !/[\p{Cc}\p{Surrogate}]/u.test(value);
}

export function checkedDatasets(datasets: DatasetIndex, open: AssertOpen): DatasetIndex {
  return {
    recordDatasets: (records) => after([open, ...records.map(named)], () => datasets.recordDatasets(records)),
    listDatasets: (params) =>
      after([open, tenant(params.tenantId), whole(params.limit ?? 1)], () => datasets.listDatasets(params)),
    usesOf: (params) => after([open, tenant(params.tenantId), named(params)], () => datasets.usesOf(params)),
    usesBySteps: (params) => after([open, tenant(params.tenantId)], () => datasets.usesBySteps(params)),
    listWrites: (params) =>
      after([open, tenant(params.tenantId), named(params), whole(params.limit ?? 1)], () =>
        datasets.listWrites(params),
      ),
    untakenWrites: (params) =>
      after([open, tenant(params.tenantId), named(params)], () => datasets.untakenWrites(params)),
    takeWrite: (params) => after([open, tenant(params.tenantId), named(params)], () => datasets.takeWrite(params)),
  };
}
