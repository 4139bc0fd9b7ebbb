/** Blanks out what is not code, so that a wall never mistakes a comment or a text for a deed. */

/** The same text, length and lines kept, with comments and the insides of strings, templates and patterns as spaces. */
export function mask(text: string): string {
  const out: string[] = []
  // How many braces are open inside each `${` that we are in; the innermost last.
  const holes: number[] = []
  let at = 0

  const keep = (): void => void out.push(text[at++] ?? "")
  const blank = (end: number): void => {
    for (; at < end; at++) out.push(text[at] === "\n" ? "\n" : " ")
  }
  const template = (): void => {
    const end = endOfTemplatePiece(text, at)
    blank(end)
    if (text.startsWith("${", at)) {
      blank(at + 2)
      holes.push(0)
    } else if (at < text.length) keep()
  }

  while (at < text.length) {
    const char = text[at]
    const open = holes.at(-1)
    if (text.startsWith("//", at)) blank(endOf(text, "\n", at))
    else if (text.startsWith("/*", at)) blank(endOf(text, "*/", at + 2) + 2)
    else if (char === '"' || char === "'") {
      keep()
      blank(endOfString(text, at, char))
      if (text[at] === char) keep()
    } else if (char === "`") {
      keep()
      template()
    } else if (char === "/" && startsPattern(out)) {
      keep()
      blank(endOfPattern(text, at))
      if (text[at] === "/") keep()
    } else if (char === "}" && open === 0) {
      holes.pop()
      blank(at + 1)
      template()
    } else {
      if (open !== undefined && char === "{") holes[holes.length - 1] = open + 1
      if (open !== undefined && char === "}") holes[holes.length - 1] = open - 1
      keep()
    }
  }
  return out.join("").slice(0, text.length)
}

/** How deep in brackets of any kind each offset of a masked text lies. */
export function depths(masked: string): readonly number[] {
  let depth = 0
  return Array.from(masked, (char) => {
    if ("({[".includes(char)) return depth++
    if (")}]".includes(char)) return --depth
    return depth
  })
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at
}

// A string ends with its line at the latest, so that an apostrophe in JSX text hides no more than that line.
function endOfString(text: string, from: number, quote: string): number {
  let at = from
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

function endOfTemplatePiece(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== "`" && !text.startsWith("${", at)) at += text[at] === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

function endOfPattern(text: string, from: number): number {
  let at = from
  let inClass = false
  while (at < text.length && text[at] !== "\n" && (inClass || text[at] !== "/")) {
    if (text[at] === "[") inClass = true
    if (text[at] === "]") inClass = false
    at += text[at] === "\\" ? 2 : 1
  }
  return Math.min(at, text.length)
}

/** A slash divides after a value and opens a pattern after anything else; `<` before it is a closing tag. */
function startsPattern(before: readonly string[]): boolean {
  const tail = before.slice(-40).join("").trimEnd()
  if (/\b(return|typeof|case|in|of|do|else|void|await|yield)$/.test(tail)) return true
  return !/[\w$)\]}"'`<]$/.test(tail)
}
