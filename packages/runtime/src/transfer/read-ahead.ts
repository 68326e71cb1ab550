/** Reads one item ahead while the caller works on the current one. */
export async function* readAhead<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = begin(source);
  try {
    for (let read = await next; read.done !== true; read = await next) {
      next = begin(source);
      yield read.value;
    }
  } finally {
    await next.catch(() => {}); // await the read in flight, even if the caller stopped early
    await source.return();
  }
}

/** Marks the promise as handled, so that its error surfaces only where it is awaited. */
function begin<T>(source: AsyncGenerator<T, void>): Promise<IteratorResult<T, void>> {
  const next = source.next();
  next.catch(() => {});
  return next;
}
