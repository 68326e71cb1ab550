/** The next one is on its way while this one is worked on, so that reader and worker do not wait for each other. Never more than one. */
export async function* readAhead<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = begin(source);
  try {
    for (let read = await next; read.done !== true; read = await next) {
      next = begin(source);
      yield read.value;
    }
  } finally {
    await next.catch(() => {}); // nothing is left under way, also where nobody wants it any more
    await source.return();
  }
}

/** What goes wrong is heard by whoever waits for it, and is no fault of the process until then. */
function begin<T>(source: AsyncGenerator<T, void>): Promise<IteratorResult<T, void>> {
  const next = source.next();
  next.catch(() => {});
  return next;
}
