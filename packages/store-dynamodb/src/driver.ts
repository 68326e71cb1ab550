/**
 * The narrow binding to the AWS SDK. It is loaded only here, and only to connect: it is large and not installed by
 * default.
 */
import { StopError } from "@runledger/contracts";

/** A value of the SDK: `{ S: "text" }`, `{ N: "1" }`, `{ BOOL: true }`, `{ B: bytes }`. */
export type AttributeValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, AttributeValue>>;

/** The operations that are used, with the input and output of the SDK. */
export interface Driver {
  send(operation: Operation, input: object): Promise<Output>;
  close(): void;
}

export type Operation =
  | "BatchGetItem"
  | "BatchWriteItem"
  | "CreateTable"
  | "DeleteItem"
  | "DescribeTable"
  | "GetItem"
  | "PutItem"
  | "Query"
  | "TransactGetItems"
  | "TransactWriteItems"
  | "UpdateContinuousBackups"
  | "UpdateItem"
  | "UpdateTimeToLive";

export type Output = Readonly<Record<string, unknown>>;

/** Receives the server's time of each response, in whole seconds, with the local times around the request. */
export type OnDate = (sentAt: number, receivedAt: number, serverDate: number) => void;

export interface DriverOptions {
  /** Absent for the region of the SDK's default configuration. */
  readonly region?: string | undefined;
  /** Absent for the service's own address. */
  readonly endpoint?: string | undefined;
  readonly answerTimeoutMs: number;
  readonly onDate: OnDate;
}

interface Sdk {
  readonly DynamoDBClient: new (options: object) => SdkClient;
}

interface SdkClient {
  readonly middlewareStack: { add(middleware: Middleware, options: object): void };
  send(command: unknown): Promise<Output>;
  destroy(): void;
}

type Next = (request: unknown) => Promise<{ readonly response?: { readonly headers?: Record<string, string> } }>;
type Middleware = (next: Next) => Next;

let loading: Promise<Sdk> | null = null;

function loadSdk(): Promise<Sdk> {
  loading ??= import("@aws-sdk/client-dynamodb").then((sdk) => sdk as unknown as Sdk, notInstalled);
  return loading;
}

function notInstalled(cause: unknown): never {
  loading = null;
  const message =
    "@aws-sdk/client-dynamodb is not installed, or cannot be loaded. Run npm install @aws-sdk/client-dynamodb.";
  throw new StopError("STORE_UNSUITABLE", message, { cause });
}

/** Requests are repeated by our own client, which knows what may be repeated. */
export async function openDriver({ region, endpoint, answerTimeoutMs, onDate }: DriverOptions): Promise<Driver> {
  const sdk = await loadSdk();
  const client = new sdk.DynamoDBClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: answerTimeoutMs,
      requestTimeout: answerTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  client.middlewareStack.add(dateReader(onDate), { step: "deserialize", name: "serverDate", priority: "low" });
  return {
    send: (operation, input) => client.send(commandOf(sdk, operation, input)),
    close: () => client.destroy(),
  };
}

function commandOf(sdk: Sdk, operation: Operation, input: object): unknown {
  const commands = sdk as unknown as Record<string, new (input: object) => unknown>;
  return new commands[`${operation}Command`]!(input);
}

function dateReader(onDate: OnDate): Middleware {
  return (next) => async (request) => {
    const sentAt = Date.now();
    const result = await next(request);
    const date = Date.parse(result.response?.headers?.["date"] ?? "");
    if (!Number.isNaN(date)) onDate(sentAt, Date.now(), date);
    return result;
  };
}
