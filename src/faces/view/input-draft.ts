/** What can be told of a call while the model still writes its input: the first value, and how many lines there are. */

export interface InputDraft {
  readonly index: number
  /** The first complete string value. */
  readonly subject: string | undefined
  /** Lines of the latest string; 0 while none has more than one. */
  readonly lines: number
  readonly scan: Scan
}

interface Scan {
  readonly place: "outside" | "text" | "escape"
  /** The start of the current or latest string. */
  readonly text: string
  readonly breaks: number
  /** A string has ended; the next character says whether it was a key or a value. */
  readonly ended: boolean
}

const mostText = 300

export const emptyDraft = (index: number): InputDraft => ({
  index,
  subject: undefined,
  lines: 0,
  scan: { place: "outside", text: "", breaks: 0, ended: false },
})

/** The same however the input is split. */
export function moreInput({ index, subject, lines, scan }: InputDraft, json: string): InputDraft {
  let { place, text, breaks, ended } = scan
  let first = subject
  let count = lines
  for (const char of json) {
    if (place === "outside") {
      if (char === '"') {
        place = "text"
        text = ""
        breaks = 0
      } else if (ended && (char === "," || char === "}" || char === "]")) first ??= decoded(text)
      if (char.trim() !== "") ended = false
      continue
    }
    if (place === "text" && char === '"') {
      place = "outside"
      ended = true
      continue
    }
    if (place === "escape" && char === "n") {
      breaks++
      count = breaks + 1
    }
    if (text.length < mostText) text += char
    place = place === "text" && char === "\\" ? "escape" : "text"
  }
  return { index, subject: first, lines: count, scan: { place, text, breaks, ended } }
}

function decoded(text: string): string | undefined {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    // Cut in the midst of an escape.
    return text
  }
}
