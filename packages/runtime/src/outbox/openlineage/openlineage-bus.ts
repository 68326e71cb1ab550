/** Sends run and step events to an OpenLineage receiver, such as Marquez: one request per event, in the order of the run. */
import type { BlockList } from "node:net";
import { InputError, type BusSettings } from "@runledger/contracts";
import { isText, type BusContext, type BusFactory, type BusMessage, type EventBus } from "../event-bus.js";
import { judgeAnswer } from "../webhook/judge-answer.js";
import { listOf } from "../webhook/internal-addresses.js";
import { ResolvedKeys } from "../webhook/resolved-keys.js";
import { WebhookConnection } from "../webhook/send-request.js";
import { webhookUrl } from "../webhook/signed-webhook.js";
import { RunLogs, type LogReader } from "./run-logs.js";
import { testRunEvent, toRunEvent, type Mapping } from "./to-run-event.js";
import type { RunEvent } from "./run-event.js";

interface OpenLineageSettings {
  readonly url: URL;
  readonly namespace: string;
  /** Name of the API key. */
  readonly secret: string | undefined;
}

export interface OpenLineageParts {
  /** Internal addresses that may be called. */
  readonly allow?: readonly string[];
  readonly logOf: (tenantId: string) => LogReader;
}

const RECEIVER = "The OpenLineage receiver";
const PATH = "/api/v1/lineage";

export function openLineageBus({ allow = [], logOf }: OpenLineageParts): BusFactory {
  const allowed = listOf(allow);
  return {
    open: (settings, context) =>
      new OpenLineageBus(readSettings(settings), context, allowed, new RunLogs(logOf(context.tenantId))),
    check: (settings) => void readSettings(settings),
  };
}

class OpenLineageBus implements EventBus {
  readonly #connection: WebhookConnection;
  readonly #keys: ResolvedKeys;
  readonly #mapping: Mapping;

  constructor({ url, namespace, secret }: OpenLineageSettings, context: BusContext, allowed: BlockList, logs: RunLogs) {
    this.#connection = new WebhookConnection(url, { allowed, receiver: RECEIVER });
    this.#keys = new ResolvedKeys(async () => (secret === undefined ? [] : context.secrets([secret])));
    this.#mapping = { tenantId: context.tenantId, namespace, logs };
  }

  async publish({ runId, events }: BusMessage, signal: AbortSignal): Promise<void> {
    for (const { data } of events) {
      const isTest = runId === "test" && data.eventType === "Test";
      const mapped = isTest ? testRunEvent(data, this.#mapping) : await toRunEvent(data, this.#mapping);
      if (mapped !== null) await this.#post(mapped, signal);
    }
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #post(event: RunEvent, signal: AbortSignal): Promise<void> {
    const [key] = await this.#keys.values();
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "runledger",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    judgeAnswer(await this.#connection.post({ body: JSON.stringify(event), headers, signal }), RECEIVER);
  }
}

const KNOWN = new Set(["type", "url", "namespace", "secret"]);
/** The key is sent to the URL, so a user who names both must not be able to read other secrets with it. */
const SECRET_PREFIX = "lineage-";

function readSettings(settings: BusSettings): OpenLineageSettings {
  const unknown = Object.keys(settings).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw wrong(unknown, "is not a setting of OpenLineage.");
  const { namespace = "runledger", secret } = settings;
  if (!isText(namespace)) throw wrong("namespace", "must be the namespace of the jobs, such as production.");
  if (secret !== undefined && (!isText(secret) || !secret.startsWith(SECRET_PREFIX)))
    throw wrong("secret", `must be the name of an API key, and start with ${SECRET_PREFIX}.`);
  const url = webhookUrl(settings["url"], (message) => wrong("url", message));
  url.pathname = url.pathname.replace(/\/+$/, "") + PATH;
  return { url, namespace, secret };
}

function wrong(setting: string, message: string): InputError {
  return new InputError("SUBSCRIPTION_INVALID", `bus.${setting}`, message);
}
