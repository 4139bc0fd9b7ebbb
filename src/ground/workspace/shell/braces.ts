/** Brace expansion, exactly as in bash for plain text, or not at all. */

const most = 200
const longest = 500

/** Only what needs no quoting: with quotes or expansions between the braces the order of expansion matters. */
const plain = /^[A-Za-z0-9_./,:@%+=*{}-]*$/

/**
 * Whether bash might expand braces in unquoted text. It may skip a brace that closes too early and take a later one, so
 * any pair with a comma or a range somewhere in between counts.
 */
export function hasBraces(text: string): boolean {
  const inner = text.slice(text.indexOf("{") + 1, text.lastIndexOf("}") + 1)
  return text.includes("{") && (inner.includes(",") || inner.includes(".."))
}

/** The words that plain text with braces becomes; undefined when it is not plain enough or becomes too many. */
export function expandBraces(text: string): readonly string[] | undefined {
  return text.length <= longest && plain.test(text) ? expand(text) : undefined
}

function expand(text: string): readonly string[] | undefined {
  const open = text.indexOf("{")
  if (open === -1) return text.includes("}") ? undefined : [text]
  const close = closing(text, open)
  if (close === -1) return undefined
  const choices = alternatives(text.slice(open + 1, close))
  const rest = expand(text.slice(close + 1))
  if (!choices || !rest || choices.length * rest.length > most) return undefined
  const before = text.slice(0, open)
  if (before.includes("}")) return undefined
  return choices.flatMap((choice) => rest.map((after) => before + choice + after))
}

/** The content of a pair of braces: a list, or a range of numbers or letters. */
function alternatives(inner: string): readonly string[] | undefined {
  const parts = splitAt(inner)
  if (parts.length === 1) return run(inner)
  const expanded: string[] = []
  for (const part of parts) {
    const words = expand(part)
    if (!words || expanded.length + words.length > most) return undefined
    expanded.push(...words)
  }
  return expanded
}

function run(inner: string): readonly string[] | undefined {
  const numbers = /^(0|-?[1-9]\d{0,5})\.\.(0|-?[1-9]\d{0,5})$/.exec(inner)
  if (numbers) return between(Number(numbers[1]), Number(numbers[2]))?.map(String)
  const letters = /^(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/.exec(inner)
  if (!letters) return undefined
  const [from = "", to = ""] = letters.slice(1).filter((letter) => letter !== undefined)
  return between(from.charCodeAt(0), to.charCodeAt(0))?.map((code) => String.fromCharCode(code))
}

function between(from: number, to: number): readonly number[] | undefined {
  const length = Math.abs(to - from) + 1
  if (length > most) return undefined
  return Array.from({ length }, (_, i) => (to >= from ? from + i : from - i))
}

/** Where the brace that opens at an index closes; -1 when it does not. */
function closing(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++
    if (text[i] === "}" && --depth === 0) return i
  }
  return -1
}

/** Split at commas that are not inside inner braces. */
function splitAt(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "{") depth++
    if (text[i] === "}") depth--
    if (text[i] === "," && depth === 0) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return [...parts, text.slice(start)]
}
