// Figures and tables as text.
import type { Table } from "./rounds.ts";
import type { Summary } from "./statistics.ts";

/** `median (min–max)`, with as many digits as the size calls for. */
export function showSummary({ median, min, max }: Summary): string {
  return `${showNumber(median)} (${showNumber(min)}–${showNumber(max)})`;
}

export function showNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

export function markdownTable({ title, columns, rows, limitedBy }: Table): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, index) => pad(cells[index] ?? "", width, index)).join(" | ")} |`;
  const rule = `| ${widths.map((width, index) => "-".repeat(width - (index === 0 ? 0 : 1)) + (index === 0 ? "" : ":")).join(" | ")} |`;
  return [`### ${title}`, "", line(columns), rule, ...rows.map(line), "", limitedBy].join("\n");
}

/** Names to the left, figures to the right. */
function pad(cell: string, width: number, index: number): string {
  return index === 0 ? cell.padEnd(width) : cell.padStart(width);
}
