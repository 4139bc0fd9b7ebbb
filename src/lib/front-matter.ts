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
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    const item = /^\s*-\s+(.*)$/.exec(line)
    if (item && open !== undefined) {
      const list = fields[open]
      fields[open] = [...(Array.isArray(list) ? list : []), plain(item[1] ?? "")]
      continue
    }
    const field = /^([\w-]+)\s*:\s*(.*)$/.exec(line)
    if (!field) continue
    open = field[1] ?? ""
    const value = (field[2] ?? "").trim()
    const block = /^([|>])[+-]?$/.exec(value)
    fields[open] = block ? blockAfter(lines.slice(at + 1), block[1] === "|" ? "\n" : " ") : valueOf(value)
  }
  return fields
}

/** The indented lines that follow, without their indentation. */
function blockAfter(lines: readonly string[], joint: string): string {
  const end = lines.findIndex((line) => /^\S/.test(line))
  const block = end === -1 ? lines : lines.slice(0, end)
  const indents = block.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents, Number.MAX_SAFE_INTEGER)
  return block
    .map((line) => line.slice(indent))
    .join(joint)
    .trim()
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
