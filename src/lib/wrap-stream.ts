/** Text that comes in pieces, broken between words; code between fences stays as it is. */

import { headOf } from "./wrap-words.ts"

export interface StreamWrap {
  /** Everything up to the word that may still grow. */
  readonly push: (text: string) => string
  /** That word. */
  readonly rest: () => string
}

/** Nothing is broken while there are no columns. */
export function openStreamWrap(columns: () => number): StreamWrap {
  let line = ""
  let column = 0
  let space = ""
  let word = ""
  let isCode = false

  function placed(): string {
    if (word === "") return ""
    const width = Bun.stringWidth(word)
    const room = isCode || /^\s*```/.test(line + word) ? 0 : columns()
    const indent = " ".repeat(Bun.stringWidth(headOf(line, room)))
    const isBroken = room > 0 && column > indent.length && column + space.length + width > room
    const before = isBroken ? `\n${indent}` : space
    column = (isBroken ? indent.length : column + space.length) + width
    line += space + word
    const text = before + word
    space = ""
    word = ""
    return text
  }

  function ended(): string {
    const text = placed()
    if (/^\s*```/.test(line)) isCode = !isCode
    line = ""
    column = 0
    space = ""
    return `${text}\n`
  }

  return {
    push(text) {
      if (columns() === 0) return placed() + text
      let out = ""
      for (const [part] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
        if (part === "\n") out += ended()
        else if (part.trim() !== "") word += part
        else {
          out += placed()
          space += part
        }
      }
      return out
    },
    rest: placed,
  }
}

export function wrapAnswer(text: string, columns: number): string {
  const { push, rest } = openStreamWrap(() => columns)
  return push(text) + rest()
}
