/**
 * The lockfile must name the binaries of every platform. npm omits those that the configured registry does not
 * have, and `npm ci` of npm 11 then refuses the file, even on platforms that do not need them.
 * @typedef {{ version?: string, resolved?: string, integrity?: string, link?: boolean, dev?: boolean, optional?: boolean,
 *   os?: string[], cpu?: string[], libc?: string[], optionalDependencies?: Record<string, string> }} Locked
 * @typedef {{ packages: Record<string, Locked> }} Lockfile
 */

/**
 * Returns the missing entries as npm would have written them, without the hash, which cannot be computed here.
 * @param {Lockfile} lockfile
 * @returns {[path: string, entry: Locked][]}
 */
export function missingOptional({ packages }) {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isLocked(packages, parent, name))
      .map(([name, version]) => /** @type {[string, Locked]} */ ([`node_modules/${name}`, entry(name, version, dev)])),
  );
}

/** @param {Lockfile} lockfile @returns {Lockfile} with nothing missing, in npm's order */
export function completed(lockfile) {
  const entries = [...Object.entries(lockfile.packages), ...missingOptional(lockfile)];
  const inOrder = entries.toSorted(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lockfile, packages: Object.fromEntries(inOrder) };
}

/**
 * Looked for as Node would: beside the parent, then further out.
 * @param {Lockfile["packages"]} packages
 * @param {string} parent
 * @param {string} name
 * @returns {boolean}
 */
function isLocked(packages, parent, name) {
  if (Object.hasOwn(packages, parent === "" ? `node_modules/${name}` : `${parent}/node_modules/${name}`)) return true;
  const outer = parent.lastIndexOf("/node_modules/");
  return parent !== "" && isLocked(packages, outer === -1 ? "" : parent.slice(0, outer), name);
}

/** @param {string} name @param {string} version @param {boolean | undefined} dev @returns {Locked} */
function entry(name, version, dev) {
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}@${version} is not an exact version; lock it by hand`);
  const platform =
    /(?:(android|darwin|freebsd|linux|openharmony|win32)-)?(arm64|arm|x64|ia32|ppc64|riscv64|s390x|wasm32)/;
  const [, os, cpu] = platform.exec(name) ?? [];
  if (cpu === undefined) throw new Error(`${name} does not name its platform; lock it by hand`);
  const libc = os === "linux" ? /(musl|gnu)/.exec(name)?.[1] : undefined;
  return {
    version,
    cpu: [cpu],
    ...(dev === true ? { dev } : {}),
    ...(libc === undefined ? {} : { libc: [libc === "gnu" ? "glibc" : "musl"] }),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}
