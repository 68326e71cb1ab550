/** Reads all pages of a list of the API. */
export async function allPages<T>(
  read: (after: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next: string | null }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await read(after);
    found.push(...items);
    if (next === null) return found;
    after = next;
  }
}
