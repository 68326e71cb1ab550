/** What a process of `serve` does. */
import { InputError, StopError } from "@runledger/contracts";

const available = ["api", "projector", "scheduler"] as const;
export type ServerRole = (typeof available)[number];

/** Known by name, and not in this version. */
const later = ["outbox"];

/** Undefined = every role that there is. */
export function chooseRoles(text: string | undefined): readonly ServerRole[] {
  if (text === undefined) return available;
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  return names.map((name) => {
    const role = available.find((one) => one === name);
    if (role !== undefined) return role;
    if (later.includes(name))
      throw new StopError("ROLE_UNAVAILABLE", `This version has no ${name}; leave it out of --roles.`);
    throw new InputError("OPTION_INVALID", "roles", `${name} is no role; there are ${available.join(", ")}.`);
  });
}
