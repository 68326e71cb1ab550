/** Roles of a `serve` process. */
import { InputError, StopError } from "@runledger/contracts";

export const serverRoles = ["api", "projector", "outbox", "triggers", "scheduler", "retention"] as const;
export type ServerRole = (typeof serverRoles)[number];

/** Parses `--roles`. `undefined` selects every role that the store has. */
export function chooseRoles(
  text: string | undefined,
  available: readonly ServerRole[] = serverRoles,
): readonly ServerRole[] {
  if (text === undefined) return available;
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  return names.map((name) => {
    const role = serverRoles.find((one) => one === name);
    if (role !== undefined && available.includes(role)) return role;
    if (role !== undefined)
      throw new StopError("ROLE_UNAVAILABLE", `This store does not have the role ${name}. Remove it from --roles.`);
    throw new InputError(
      "OPTION_INVALID",
      "roles",
      `contains the unknown role ${name}. Use ${serverRoles.join(", ")}.`,
    );
  });
}
