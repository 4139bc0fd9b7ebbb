/** The `@path` imports of a memory file, outside of code fences and code spans. */

export function importsIn(markdown: string): readonly string[] {
  const found: string[] = []
  let fence: string | undefined
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      // A fence is closed by one of its own kind, at least as long, with nothing after it.
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    for (const match of withoutSpans(line).matchAll(/(?:^|\s)@((?:\\ |[^\s`])+)/g)) found.push(pathOf(match[1] ?? ""))
  }
  return [...new Set(found.filter((path) => path !== ""))]
}

const withoutSpans = (line: string): string => line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "``")

/** A sentence may end right after it. */
const pathOf = (written: string): string => written.replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"]+$/, "")
