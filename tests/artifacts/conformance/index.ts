/** The contract of a location of artifacts, one file per clause. */
import { describe } from "vitest";
import { abandonedParts } from "./abandoned.js";
import { conditionalCreate } from "./conditional-create.js";
import { links } from "./links.js";
import { listing } from "./listing.js";
import { opened, type Location } from "./location.js";
import { flatMemory } from "./memory.js";
import { outages } from "./outages.js";
import { ranges } from "./ranges.js";
import { roundTrip } from "./round-trip.js";
import { verifiedContent } from "./verified.js";
import { visibility } from "./visibility.js";

interface Options {
  /** Runs the clauses that store objects by key. The store has none. */
  readonly objects: boolean;
  /** Bytes to stream while memory is measured. Default: memory is not measured. */
  readonly streamedBytes?: number;
}

export function artifactConformance(name: string, location: Location, { objects, streamedBytes }: Options): void {
  describe(`artifacts in ${name}`, () => {
    const parts = opened(location);
    roundTrip(parts);
    verifiedContent(parts);
    ranges(parts);
    visibility(parts);
    listing(parts);
    links(parts, location);
    if (objects) conditionalCreate(parts);
    if (objects && streamedBytes !== undefined) abandonedParts(parts, location);
    if (location.via !== undefined) outages(parts, location);
    if (streamedBytes !== undefined) flatMemory(location, streamedBytes);
  });
}
