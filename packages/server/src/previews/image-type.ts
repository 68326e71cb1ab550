/** Recognizes images by their content. The kind of an artifact is a name that a step chose, and proves nothing. */

const SIGNATURES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
  ["image/avif", /^[^]{4}ftypavi[fs]/],
  [
    "image/svg+xml",
    /^(\xef\xbb\xbf)?\s*(<\?xml[^>]{0,200}>\s*)?(<!--[^>]{0,1000}-->\s*)?(<!DOCTYPE svg[^>]{0,200}>\s*)?<svg[\s>]/,
  ],
];

const LONGEST = 2048;

/** Returns the type of an image that browsers show, or `undefined`. */
export function imageType(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, LONGEST)).toString("latin1");
  return SIGNATURES.find(([, pattern]) => pattern.test(text))?.[0];
}
