/** An execution of the workflow as a Temporal server would have recorded it: started, one task, completed. */
import type { Json } from "@runledger/contracts";

const AT = "2026-11-14T00:00:00Z";
const RUN_ID = "00000000-0000-4000-8000-000000000001";
const QUEUE = { name: "histories", kind: "TASK_QUEUE_KIND_NORMAL" };

export function executionOf(input: unknown, result: unknown) {
  const attributes = {
    WORKFLOW_EXECUTION_STARTED: {
      workflowType: { name: "replayHistory" },
      taskQueue: QUEUE,
      input: { payloads: [payload(input)] },
      originalExecutionRunId: RUN_ID,
      firstExecutionRunId: RUN_ID,
      attempt: 1,
      workflowTaskTimeout: "10s",
    },
    WORKFLOW_TASK_SCHEDULED: { taskQueue: QUEUE, startToCloseTimeout: "10s", attempt: 1 },
    WORKFLOW_TASK_STARTED: { scheduledEventId: "2", identity: "histories", requestId: "1" },
    WORKFLOW_TASK_COMPLETED: { scheduledEventId: "2", startedEventId: "3", identity: "histories" },
    WORKFLOW_EXECUTION_COMPLETED: { result: { payloads: [payload(result)] }, workflowTaskCompletedEventId: "4" },
  };
  const events = Object.entries(attributes).map(([type, data], index) => ({
    eventId: String(index + 1),
    eventTime: AT,
    eventType: `EVENT_TYPE_${type}`,
    [`${camelCase(type)}EventAttributes`]: data,
  }));
  return { events } as unknown as Json;
}

function payload(value: unknown) {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return { metadata: { encoding: base64("json/plain") }, data: base64(JSON.stringify(value)) };
}

function camelCase(type: string): string {
  return type.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
