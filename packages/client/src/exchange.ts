export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Takes a lower-case name. Returns `null` if the response has no such header. */
  readonly header: (name: string) => string | null;
  /** The whole body. */
  readonly text: string;
}

/** Sends a request and reads the whole response. Rejects if there is no response or the signal aborts. */
export type Exchange = (path: string, request: HttpRequest) => Promise<HttpResponse>;

export function fetchExchange(address: string, send?: typeof fetch): Exchange {
  return async (path, request) => readResponse(await (send ?? fetch)(address + path, request));
}

export async function readResponse(response: Response): Promise<HttpResponse> {
  const { status, statusText, headers } = response;
  return { status, statusText, header: (name) => headers.get(name), text: await response.text() };
}
