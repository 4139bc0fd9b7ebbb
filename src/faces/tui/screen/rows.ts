/** Styled text as rows that each stand by themselves: no row leans on a style that another one opened. */

import { styles } from "./style.ts"

/** Sequences that are on, by the code that turns them off. */
type OpenStyles = { readonly [off: string]: string }

export function selfContained(rows: readonly string[]): string[] {
  let open: OpenStyles = {}
  return rows.map((row) => {
    if (!row.includes("\u001b") && Object.keys(open).length === 0) return row
    const before = Object.values(open).join("")
    for (const [sequence, codes = ""] of row.matchAll(styles)) open = after(open, sequence, codes)
    // Each by its own code: the row may be part of one that has a background.
    return (
      before +
      row +
      Object.keys(open)
        .map((off) => `\u001b[${off}m`)
        .join("")
    )
  })
}

function after(open: OpenStyles, sequence: string, codes: string): OpenStyles {
  const first = Number(codes.split(/[;:]/)[0] ?? 0)
  if (first === 0) return {}
  const off = offOf(first)
  if (off !== undefined) return { ...open, [off]: off === "22" ? (open["22"] ?? "") + sequence : sequence }
  const { [String(first)]: _closed, ...rest } = open
  return rest
}

function offOf(code: number): string | undefined {
  if (code === 1 || code === 2) return "22"
  if ((code >= 3 && code <= 9) || code === 21) return String(code + 20)
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return "39"
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return "49"
  return undefined
}
