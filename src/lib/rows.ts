/** Rows of text: aligned columns, and what fits into one row. */

/** Numbers are aligned to the right. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const cell = (text: string, i: number): string =>
    /^~?\d/.test(text) ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)
  return rows.map((row) =>
    row
      .map(cell)
      .filter((_, i) => (widths[i] ?? 0) > 0)
      .join("  ")
      .trimEnd(),
  )
}

export const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.trim() ?? ""
