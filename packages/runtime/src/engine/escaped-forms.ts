/** A text as JSON, addresses, source code, SQL, CSV and HTML contain it. Languages escape different characters. */

/** The text must have no lone surrogates. Forms may be equal. */
export function escapedForms(text: string): string[] {
  return [text, ...jsonForms(text), ...urlForms(text), ...literals(text), ...htmlForms(text)];
}

function jsonForms(text: string): string[] {
  const json = escapeJson(text);
  const ascii = json.replaceAll(/[\u007f-\uffff]/g, (character) => unicode(character));
  const slashes = json.replaceAll("/", "\\/"); // PHP
  const markup = json.replaceAll(/[<>&\u2028\u2029]/g, (character) => unicode(character)); // Go
  return [json, escapeJson(json), ascii, upperHex(ascii), escapeJson(ascii), slashes, markup];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function upperHex(text: string): string {
  return text.replaceAll(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`);
}

function urlForms(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  const upper = strict.replaceAll(/%[0-9a-f]{2}/g, (escape) => escape.toUpperCase());
  const plus = upper.replaceAll("%20", "+");
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const kept = [component, upper, plus].map((each) => each.replaceAll("%2F", "/")); // Python
  const all = [component, upper, plus, form, ...kept, encodeURI(text), ...partsOfUrl(text)];
  return all.flatMap((each) => [each, each.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())]);
}

/** Parsers of addresses escape only what they must. */
function partsOfUrl(text: string): string[] {
  const url = new URL("http://host/");
  url.username = text;
  url.pathname = text;
  url.search = text;
  url.hash = text;
  return [url.username, url.pathname.slice(1), url.search.slice(1), url.hash.slice(1)];
}

/** As source code, `console.log` of an object, a shell, SQL and CSV quote it. */
function literals(text: string): string[] {
  const unquoted = escapeJson(text).replaceAll('\\"', '"');
  const bytes = unquoted.replaceAll(/\\u00([0-9a-f]{2})/g, (_, hex: string) => `\\x${hex.toUpperCase()}`);
  const code = [unquoted, bytes, bytes.replaceAll("'", "\\'")];
  return [...code, text.replaceAll("'", "'\\''"), text.replaceAll("'", "''"), text.replaceAll('"', '""')];
}

function htmlForms(text: string): string[] {
  const tags = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quotes = tags.replaceAll('"', "&quot;");
  return [tags, quotes, ...["&#39;", "&#x27;", "&apos;"].map((quote) => quotes.replaceAll("'", quote))];
}
