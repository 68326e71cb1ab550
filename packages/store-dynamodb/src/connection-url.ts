/**
 * `dynamodb://<region>/<table>`, with `?endpoint=http://host:port` for DynamoDB Local or a VPC endpoint. Credentials come from
 * the SDK's default chain, never from the URL.
 */
import { InputError } from "@runledger/contracts";

export interface DynamoTarget {
  /** Absent for the region of the SDK's default configuration. */
  readonly region?: string;
  readonly table: string;
  readonly endpoint?: string;
}

const TABLE = /^[A-Za-z0-9_.-]{3,255}$/;
const REGION = /^[a-z0-9-]{1,64}$/;

export function parseDynamoUrl(text: string): DynamoTarget {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "dynamodb:") throw invalid("must be dynamodb://<region>/<table>.");
  if (url.username !== "" || url.password !== "")
    throw invalid("must not contain credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a role.");
  const table = decodeURIComponent(url.pathname.slice(1));
  if (!TABLE.test(table)) throw invalid("must name a table of 3 to 255 letters, digits, `_`, `-` and `.`.");
  const region = url.hostname;
  if (region !== "" && !REGION.test(region)) throw invalid("must name a region, such as eu-central-1.");
  const endpoint = endpointOf(url);
  return { table, ...(region === "" ? {} : { region }), ...(endpoint === null ? {} : { endpoint }) };
}

function endpointOf({ searchParams }: URL): string | null {
  for (const name of searchParams.keys())
    if (name !== "endpoint") throw invalid(`has an unknown option ${name}. The only option is endpoint.`);
  const endpoint = searchParams.get("endpoint");
  if (endpoint === null) return null;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "")
    throw invalid("has an endpoint that is not http://host:port or https://host:port.");
  return url.origin;
}

function invalid(message: string): InputError {
  return new InputError("STORE_URL_INVALID", "store", message);
}
