const LIMIT_MS = 200_000;

/** Waits with a limit. After it the error contains the state, so that a wait that never ends explains itself. */
export async function within<T>(result: Promise<T>, what: string, state: () => unknown = () => ""): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = (): void =>
      reject(new Error(`Waited ${LIMIT_MS / 1000} s for ${what}. State: ${JSON.stringify(state())}`));
    timer = setTimeout(fail, LIMIT_MS);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
