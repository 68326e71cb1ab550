/** Returns an object that behaves like `target`, except for the given members. Methods of a class keep their object. */
export function override<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get: (original, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name) as unknown;
      const value: unknown = Reflect.get(original, name, original);
      return typeof value === "function" ? (value.bind(original) as unknown) : value;
    },
    has: (original, name) => name in members || name in original,
  });
}
