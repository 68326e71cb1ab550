/**
 * Counts what Temporal Cloud charges as actions, from the histories of a run: an execution that is started or continued as
 * new, a signal, a timer, every attempt of an activity, and a workflow task that runs local activities.
 */

/**
 * @param {string} address
 * @param {string} workflowId
 */
export async function actionsOf(address, workflowId) {
  const { Client, Connection } = await import("@temporalio/client");
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  try {
    let actions = 0;
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      actions += countActions(events ?? []);
    }
    return actions;
  } finally {
    await connection.close();
  }
}

/** @typedef {Awaited<ReturnType<import("@temporalio/client").WorkflowHandle["fetchHistory"]>>} History */

/** @param {NonNullable<History["events"]>} events */
function countActions(events) {
  const tasks = events.map((event) => event.markerRecordedEventAttributes?.workflowTaskCompletedEventId);
  const withLocal = new Set(tasks.filter((task) => task !== undefined && task !== null).map(String));
  const others = events.map((event) => {
    if (event.activityTaskStartedEventAttributes) return event.activityTaskStartedEventAttributes.attempt ?? 1;
    const isAction =
      event.workflowExecutionStartedEventAttributes ??
      event.workflowExecutionSignaledEventAttributes ??
      event.timerStartedEventAttributes;
    return isAction ? 1 : 0;
  });
  return others.reduce((sum, each) => sum + each, withLocal.size);
}
