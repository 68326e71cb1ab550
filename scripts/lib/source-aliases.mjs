import { inRepository, packages } from "./repository.mjs";

/** Tests see the sources, so that coverage is theirs and no build can be out of date. Child processes see dist. */
export const sourceAliases = packages().flatMap(({ folder, manifest }) => [
  { find: new RegExp(`^${manifest.name}$`), replacement: inRepository(`packages/${folder}/src/index.ts`) },
  { find: new RegExp(`^${manifest.name}/([^/]+)$`), replacement: inRepository(`packages/${folder}/src/$1`) },
  { find: new RegExp(`^${manifest.name}/(.+/.+)$`), replacement: inRepository(`packages/${folder}/src/$1.ts`) },
]);
