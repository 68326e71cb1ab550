/**
 * A process that runs commands of the build one after another, each as `bin/runledger.js` would. A short command spends
 * most of its time on loading modules, and this process loads them once.
 */
const main = new URL("../../runledger/dist/cli/main.js", import.meta.url).href;
const inherited = { ...process.env };

/** @typedef {{ id: number, cwd: string, env: Record<string, string>, args: string[] }} Request */

process.on("disconnect", () => process.exit());
process.on(
  "message",
  /** @param {Request} request */ (request) => {
    void execute(request).then((result) => process.send?.(result));
  },
);

/** @param {Request} request */
async function execute({ id, cwd, env, args }) {
  process.chdir(cwd);
  replaceEnvironment({ ...inherited, ...env });
  process.argv.splice(2, Infinity, ...args);
  process.exitCode = undefined;
  const output = [process.stdout, process.stderr].map(recordWrites);
  await import(`${main}?command=${id}`); // main.js runs the command when it is evaluated
  const [stdout, stderr] = output.map((recording) => recording.end());
  return { id, code: process.exitCode ?? 0, stdout, stderr };
}

/** @param {Record<string, string | undefined>} wanted */
function replaceEnvironment(wanted) {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(wanted, name)) delete process.env[name];
  Object.assign(process.env, wanted);
}

/** @param {NodeJS.WriteStream} stream */
function recordWrites(stream) {
  const { write } = stream;
  let text = "";
  stream.write = (/** @type {string | Uint8Array} */ chunk) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    return true;
  };
  return {
    end() {
      stream.write = write;
      stream.removeAllListeners("error"); // every command adds one
      return text;
    },
  };
}
