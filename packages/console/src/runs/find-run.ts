/** Finds a run by its id, or by the last or first characters of it, as the list shows them. */
import { client } from "../api/client.js";

const PAGE = 200;
const MAX_PAGES = 5;

/** Returns the ids of the runs that the text can mean. Text that cannot be an id is not looked up. */
export async function findRunIds(text: string): Promise<readonly string[]> {
  if (!/^[^\s|]{4,}$/.test(text) || !/\d|^run[_-]/.test(text)) return [];
  const isWhole = /^run[_-]|.{16}/.test(text);
  const found = isWhole ? [] : await newestMatching(text);
  if (found.length > 0) return found;
  return (await isRun(text)) ? [text] : isWhole ? newestMatching(text) : [];
}

function isRun(text: string): Promise<boolean> {
  return client.getRun(text).then(
    () => true,
    () => false,
  );
}

async function newestMatching(text: string): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && after !== null; page++) {
    const listed = await client.listRuns({ limit: PAGE, ...(after !== undefined && { after }) });
    found.push(...listed.items.map(({ runId }) => runId).filter((runId) => isShortFor(text, runId)));
    after = listed.next;
  }
  return found;
}

function isShortFor(text: string, runId: string): boolean {
  return runId.endsWith(text) || runId.startsWith(text) || runId.startsWith(`run_${text}`);
}
