import { Client } from "pg";

/** The migrated database of the shared server that new ones are copied from. */
export const TEMPLATE = "migrated_template";

/** Runs a statement on a new connection and returns its rows. A test may kill any other connection. */
export async function query<Row extends object = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {}); // the call fails with it
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

export function withDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
