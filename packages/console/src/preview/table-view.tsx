import type { Table } from "./table.js";

/** Scrolls on its own, so that a wide table does not move the page. */
export function TableView({
  table: { columns, rows, note },
  label,
}: {
  readonly table: Table;
  readonly label: string;
}) {
  const isNumber = columns.map((_, at) => (rows.every((row) => NUMBER.test(row[at] ?? "")) ? "" : undefined));
  return (
    <>
      <p className="quiet" role="status">
        {note}
      </p>
      <div className="preview-table" role="region" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((name, at) => (
                <th key={at} scope="col" data-number={isNumber[at]}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column} data-number={isNumber[column]}>
                    {cell ?? <span className="quiet">null</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A number, or no value. */
const NUMBER = /^(-?\d{1,20}(\.\d{1,20})?)?$/;
