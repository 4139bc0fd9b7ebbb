/**
 * Locates the parts of a JSON string, so that one can be replaced while every other byte stays. The string must be
 * valid JSON.
 */

/** `end` is exclusive. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

export interface JsonMember extends JsonSpan {
  readonly key: string
}

export function membersAt(text: string, at: number): JsonMember[] {
  const members: JsonMember[] = []
  for (let next = skipSpace(text, at + 1); text[next] === '"'; next = afterComma(text, next)) {
    const keyEnd = endOfString(text, next)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = endOfValue(text, start)
    members.push({ key: String(JSON.parse(text.slice(next, keyEnd))), start, end })
    next = end
  }
  return members
}

export function elementsAt(text: string, at: number): JsonSpan[] {
  const elements: JsonSpan[] = []
  for (let next = skipSpace(text, at + 1); next < text.length && text[next] !== "]"; next = afterComma(text, next)) {
    const end = endOfValue(text, next)
    elements.push({ start: next, end })
    next = end
  }
  return elements
}

export const startOfValue = (text: string): number => skipSpace(text, 0)

function skipSpace(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code === 32 || (code >= 9 && code <= 13); code = text.charCodeAt(at)) at++
  return at
}

function afterComma(text: string, from: number): number {
  const at = skipSpace(text, from)
  return text[at] === "," ? skipSpace(text, at + 1) : at
}

function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first === "{" || first === "[") return endOfNested(text, start)
  const word = /[^\s,\]}]*/y
  word.lastIndex = start
  return start + (word.exec(text)?.[0].length ?? 0)
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let backslashes = 0
    while (text[quote - 1 - backslashes] === "\\") backslashes++
    at = quote + 1
    if (backslashes % 2 === 0) return at
  }
}

function endOfNested(text: string, start: number): number {
  const marks = /["{}[\]]/g
  marks.lastIndex = start
  let depth = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') marks.lastIndex = endOfString(text, mark.index)
    else depth += mark[0] === "{" || mark[0] === "[" ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}
