// Runs a PostgreSQL for startLossyNetwork until its input ends. Prints a line when it has started itself, waits for a
// line, and then prints the URL of the server.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@runledger/embedded";

const folder = mkdtempSync(join(tmpdir(), "runledger-lossy-"));
chmodSync(folder, 0o711); // the server runs as another user
const hba = join(folder, "hba.conf");
writeFileSync(hba, "host all all 198.18.0.0/15 scram-sha-256\n", { mode: 0o644 });

console.log("started");
await once(process.stdin, "data");
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, "data"),
  settings: { listen_addresses: "*", hba_file: hba, fsync: "off", full_page_writes: "off" },
});
console.log(postgres.url);
process.stdin.resume();
await once(process.stdin, "end");
await postgres.stop();
rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
