import type { RecordedAlert } from "@runledger/contracts";

/** An alert as CloudEvents 1.0. */
export interface AlertEvent {
  readonly specversion: "1.0";
  readonly id: string;
  /** `/processes/<process>`. */
  readonly source: string;
  readonly type: "dev.runledger.alert";
  /** The code of the alert. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: Omit<RecordedAlert, "alertId" | "at"> & {
    /** Alerts of the same code and tenant that were held back before this one. */
    readonly repeated: number;
    readonly runbook: string;
  };
}

const RUNBOOKS = "https://github.com/runledger/runledger/blob/main/docs/alerts";

export function alertEvent({ alertId, at, ...alert }: RecordedAlert, repeated: number): AlertEvent {
  return {
    specversion: "1.0",
    id: alertId,
    source: `/processes/${encodeURIComponent(alert.process)}`,
    type: "dev.runledger.alert",
    subject: alert.code,
    time: at,
    datacontenttype: "application/json",
    data: { ...alert, repeated, runbook: `${RUNBOOKS}/${alert.code}.md` },
  };
}
