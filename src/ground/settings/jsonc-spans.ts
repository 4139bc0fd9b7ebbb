/**
 * Locates the parts of a JSON string with comments, so that one can be changed while the rest stays. The string must
 * be valid.
 */

/** `end` is exclusive. */
export interface JsoncSpan {
  readonly start: number
  readonly end: number
}

/** An element of a list, or a member of an object with its key, and the position of its comma, if it has one. */
export interface JsoncElement extends JsoncSpan {
  readonly comma: number | undefined
}

export function rootOf(text: string): JsoncSpan {
  const start = afterSpace(text, text.startsWith("\uFEFF") ? 1 : 0)
  return { start, end: endOfValue(text, start) }
}

export function memberOf(text: string, object: JsoncSpan, key: string): JsoncSpan | undefined {
  for (const { start } of elementsOf(text, object)) {
    const keyEnd = endOfString(text, start)
    if (JSON.parse(text.slice(start, keyEnd)) !== key) continue
    const value = afterSpace(text, afterSpace(text, keyEnd) + 1)
    return { start: value, end: endOfValue(text, value) }
  }
  return undefined
}

export function elementsOf(text: string, around: JsoncSpan): readonly JsoncElement[] {
  const elements: JsoncElement[] = []
  const isObject = text[around.start] === "{"
  for (let at = afterSpace(text, around.start + 1); at < around.end - 1;) {
    const start = at
    const value = isObject ? afterSpace(text, afterSpace(text, endOfString(text, at)) + 1) : at
    const end = endOfValue(text, value)
    const next = afterSpace(text, end)
    const comma = text[next] === "," ? next : undefined
    elements.push({ start, end, comma })
    at = comma === undefined ? next : afterSpace(text, comma + 1)
  }
  return elements
}

function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first !== "{" && first !== "[") {
    const word = /[^\s,\]}/]*/y
    word.lastIndex = start
    return start + (word.exec(text)?.[0].length ?? 0)
  }
  let depth = 0
  for (let at = start; at < text.length; at = afterSpace(text, at)) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else {
      if (char === "{" || char === "[") depth++
      if (char === "}" || char === "]") depth--
      at++
      if (depth === 0) return at
    }
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at + 1
}

/** The offset after whitespace and comments. `unclosed` may throw; without it such a comment goes on to the end. */
export function afterSpace(text: string, from: number, unclosed?: (at: number) => void): number {
  let at = from
  for (;;) {
    while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at++
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at)
      at = end === -1 ? text.length : end
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      if (end === -1) unclosed?.(at)
      at = end === -1 ? text.length : end + 2
    } else return at
  }
}
