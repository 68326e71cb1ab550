/** Into the clipboard, which browsers keep from a page that came over plain HTTP from another machine. */
export async function copy(text: string): Promise<void> {
  if (!isSecureContext)
    throw new Error("Without HTTPS the browser lets no page copy. Select it, and copy it yourself.");
  await navigator.clipboard.writeText(text);
}
