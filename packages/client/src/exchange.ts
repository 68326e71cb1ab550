/** A request, and its answer read to the end. */
export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** Null = it has none of this name, which is in lower case. */
  readonly header: (name: string) => string | null;
  readonly text: string;
}

/** Rejects when there is no answer, or nobody wants it any more. */
export type Exchange = (path: string, outgoing: Outgoing) => Promise<Answer>;

export function fetchExchange(address: string, send?: typeof fetch): Exchange {
  return async (path, outgoing) => readAnswer(await (send ?? fetch)(address + path, outgoing));
}

export async function readAnswer(response: Response): Promise<Answer> {
  const { status, statusText, headers } = response;
  return { status, statusText, header: (name) => headers.get(name), text: await response.text() };
}
