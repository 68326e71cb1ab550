import { type Html, html } from "./html.js";

/** The pages use no script and load no file from another host. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --dim: #888; --accent: #2563eb; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 0; }
a { color: var(--accent); } code, pre { font: 13px/1.5 ui-monospace, monospace; }
section { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; } td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); }
pre { overflow-x: auto; border-left: 3px solid var(--line); padding-left: .75rem; } .dim { color: var(--dim); }
nav li { list-style: none; } nav ul { padding: 0; columns: 2; }`;

export function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/api/docs/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}
