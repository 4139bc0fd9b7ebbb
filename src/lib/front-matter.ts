/** The fields between two lines of dashes at the start of a Markdown file: scalars, and lists in either notation. */

export interface FrontMatter {
  readonly fields: { readonly [name: string]: string | readonly string[] }
  readonly body: string
}

/** A file without front matter is all body. */
export function readFrontMatter(text: string): FrontMatter {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text)
  if (!found) return { fields: {}, body: text }
  return { fields: fieldsIn(found[1] ?? ""), body: text.slice(found[0].length) }
}

function fieldsIn(text: string): { [name: string]: string | readonly string[] } {
  const fields: { [name: string]: string | string[] } = Object.create(null) as { [name: string]: string | string[] }
  let open: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const item = /^\s*-\s+(.*)$/.exec(line)
    if (item && open !== undefined) {
      const list = fields[open]
      fields[open] = [...(Array.isArray(list) ? list : []), plain(item[1] ?? "")]
      continue
    }
    const field = /^([\w-]+)\s*:\s*(.*)$/.exec(line)
    if (!field) continue
    open = field[1] ?? ""
    fields[open] = valueOf((field[2] ?? "").trim())
  }
  return fields
}

function valueOf(text: string): string | string[] {
  if (!text.startsWith("[") || !text.endsWith("]")) return plain(text)
  return text
    .slice(1, -1)
    .split(",")
    .map(plain)
    .filter((item) => item !== "")
}

const plain = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, "$2")
