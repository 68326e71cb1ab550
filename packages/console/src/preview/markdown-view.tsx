import { Fragment, useMemo } from "react";
import { readMarkdown, type Block, type Inline } from "./markdown.js";

/** Headings start below those of the dialog. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return <div className="markdown">{blocks.map(blockView)}</div>;
}

function blockView(block: Block, key: number) {
  switch (block.type) {
    case "heading": {
      const Heading = HEADINGS[block.level - 1]!;
      return <Heading key={key}>{block.inner.map(inlineView)}</Heading>;
    }
    case "paragraph":
      return <p key={key}>{block.inner.map(inlineView)}</p>;
    case "code":
      return <pre key={key}>{block.text}</pre>;
    case "quote":
      return <blockquote key={key}>{block.blocks.map(blockView)}</blockquote>;
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List key={key}>
          {block.items.map((item, at) => (
            <li key={at}>{item.map(blockView)}</li>
          ))}
        </List>
      );
    }
    case "table":
      return <TableView key={key} rows={block.rows} />;
    case "rule":
      return <hr key={key} />;
  }
}

function TableView({ rows: [header = [], ...rows] }: { readonly rows: Extract<Block, { type: "table" }>["rows"] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at}>{cell.map(inlineView)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{cell.map(inlineView)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inlineView(part: Inline, key: number) {
  switch (part.type) {
    case "text":
      return <Fragment key={key}>{part.text}</Fragment>;
    case "code":
      return <code key={key}>{part.text}</code>;
    case "link":
      return (
        <a key={key} href={part.href} target="_blank" rel="noopener noreferrer nofollow" title={part.href}>
          {part.inner.map(inlineView)}
        </a>
      );
    default: {
      const Tag = part.type;
      return <Tag key={key}>{part.inner.map(inlineView)}</Tag>;
    }
  }
}
