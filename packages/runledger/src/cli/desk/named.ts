/** `nightly-orders`, or `nightly-orders@1.4.0`, as a server takes it. */
export function named(name: string): { readonly workflow: string; readonly version?: string } {
  const [workflow = "", version] = name.split("@");
  return { workflow, ...(version === undefined ? {} : { version }) };
}
