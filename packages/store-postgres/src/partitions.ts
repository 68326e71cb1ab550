/** Hash partitions of the log (A2): the option, or else the parameter of the URL. They cannot change later. */
import { InputError } from "@runledger/contracts";
import { firstOf, type Session } from "./client.js";

const MOST = 256;

/** Returns `null` if neither the option nor the URL names a number. */
export function partitionsFor(url: string, option: number | undefined): number | null {
  const parameter = URL.canParse(url) ? new URL(url).searchParams.get("partitions") : null;
  if (option === undefined && parameter === null) return null;
  const partitions = option ?? (parameter === "" ? NaN : Number(parameter));
  if (Number.isInteger(partitions) && partitions >= 0 && partitions <= MOST) return partitions;
  throw new InputError("OPTION_INVALID", "partitions", `must be a whole number from 0 to ${MOST}.`);
}

const COUNT = {
  name: "partitions_count",
  text: "SELECT count(*)::int FROM pg_inherits WHERE inhparent = to_regclass('runledger.run_events')",
};

/** A number that had no effect would look as if it had one. */
export async function checkPartitions(session: Session, wanted: number): Promise<void> {
  const [found] = firstOf(await session.run(COUNT)) as [number];
  if (found === wanted) return;
  const remedy = `Leave it out, or set it to ${found}. To change the number, export the runs and import them into a new database.`;
  throw new InputError(
    "OPTION_INVALID",
    "partitions",
    `is ${wanted}, but the log of this database has ${found}. ${remedy}`,
  );
}
