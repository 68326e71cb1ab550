/** Verifies and exports the audit log of a store. */
import { ALL_TENANTS, InputError, omitUndefined, type AuditLink } from "@runledger/contracts";
import type { Command } from "commander";
import { verifyAudit } from "@runledger/runtime/audit/verify-audit";
import { withLedger } from "../backend/open-backend.js";
import { exitCodes } from "../exit-codes.js";
import type { GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { paint, print, printJson } from "../render/terminal.js";

export function addAuditCommand(program: Command): void {
  const audit = program.command("audit").summary("verify and export the audit log");
  audit
    .command("verify")
    .summary("verify that no audit entry was changed or removed")
    .description(
      "Checks the hash chain of the audit log. Prints its head, which you can keep elsewhere: a later verification with " +
        "--anchor also finds a log that was written again from the start. Exits with 1 if the chain is broken.",
    )
    .option("--anchor <head>", "head that an earlier verification printed", parseAnchor)
    .action((_: unknown, command: Command) => verify(command.optsWithGlobals()));
  audit
    .command("export")
    .summary("print all audit entries as JSON lines, oldest first")
    .option("--tenant <name>", "only entries of this tenant")
    .action((_: unknown, command: Command) => exportAll(command.optsWithGlobals()));
}

function parseAnchor(text: string): AuditLink {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InputError("OPTION_INVALID", "--anchor", "must be the head that runledger audit verify printed.");
  return { seq: Number(seq), hash };
}

async function verify(options: GlobalOptions & { readonly anchor?: AuditLink }): Promise<void> {
  const { anchor } = options;
  const result = await withLedger(options, ({ store }) => verifyAudit(store.audit, omitUndefined({ anchor })));
  const { entries, unchained, head, problems } = result;
  if (problems.length > 0) process.exitCode = exitCodes.runFailed;
  if (options.json === true) return printJson({ ...result, head: `${head.seq}:${head.hash}` });
  for (const problem of problems) print(paint("red", problem));
  if (unchained > 0) print(`${entriesText(unchained)} of an earlier version cannot be verified.`);
  const outcome = problems.length === 0 ? "no differences" : paint("red", count(problems.length, "problem"));
  print(`${entriesText(entries)} verified, ${outcome}.`);
  print(`Head  ${head.seq}:${head.hash}`);
}

function entriesText(n: number): string {
  return n === 1 ? "1 entry" : `${n} entries`;
}

async function exportAll(options: GlobalOptions & { readonly tenant?: string }): Promise<void> {
  const { tenant: tenantId = ALL_TENANTS } = options;
  await withLedger(options, async ({ store }) => {
    for (let afterId = 0; ;) {
      const page = await store.audit.readAudit({ tenantId, afterId });
      for (const entry of page) print(JSON.stringify(entry));
      const last = page.at(-1);
      if (last === undefined) return;
      afterId = last.auditId;
    }
  });
}
