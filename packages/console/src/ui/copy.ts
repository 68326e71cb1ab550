/** Copies text to the clipboard. Browsers allow this only on HTTPS and on localhost. */
export async function copy(text: string): Promise<void> {
  if (!isSecureContext)
    throw new Error("The browser allows copying only over HTTPS. Select the text and copy it manually.");
  await navigator.clipboard.writeText(text);
}
