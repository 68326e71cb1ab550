export { random, type Random } from "../../../packages/store-conformance/src/support/random.js";

/** A number for a text: the same for everybody, another for every text (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return hash >>> 0;
}
