/** What a terminal sends, as keys: letters, named keys with their modifiers, and whole pastes. */

import type { Clock } from "#lib/clock.ts"

export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  /** Named as in `enter`, `left`, `ctrl+c`, `alt+f`, `shift+tab`; modifiers in the order ctrl, alt, shift. */
  | { readonly kind: "key"; readonly name: string; readonly at?: ScreenPlace }

/** Counted from 1, as terminals do. */
export interface ScreenPlace {
  readonly row: number
  readonly column: number
}

export interface KeyReader {
  readonly push: (input: string) => void
}

const pasteStart = "\u001b[200~"
const pasteEnd = "\u001b[201~"
/** A lone escape is a key; one that begins a sequence is followed by the rest at once. */
const escapeMs = 30

/** Sequences may arrive in parts; a lone escape is reported after a short while. */
export function openKeys({ clock, onKey }: { readonly clock: Clock; readonly onKey: (key: Key) => void }): KeyReader {
  let buffered = ""
  /** An unfinished paste, separate from the rest so that a long one is not searched again and again. */
  let pasted: string[] | undefined
  let cancel: (() => void) | undefined

  function drain(isWhole: boolean): void {
    while (buffered !== "") {
      if (pasted && !drainPaste(pasted)) return
      if (buffered.startsWith(pasteStart)) {
        pasted = []
        buffered = buffered.slice(pasteStart.length)
        continue
      }
      const { key, length } = nextKey(buffered, isWhole)
      if (length === 0) return
      buffered = buffered.slice(length)
      if (key) onKey(key)
    }
  }

  /** Whether the paste has ended. What may be the start of the end mark is held back. */
  function drainPaste(parts: string[]): boolean {
    const end = buffered.indexOf(pasteEnd)
    const whole = end === -1 ? Math.max(0, buffered.length - pasteEnd.length) : end
    parts.push(buffered.slice(0, whole))
    buffered = buffered.slice(end === -1 ? whole : end + pasteEnd.length)
    if (end === -1) return false
    pasted = undefined
    onKey({ kind: "paste", text: parts.join("").replaceAll(/\r\n?/g, "\n") })
    return true
  }

  return {
    push(input) {
      cancel?.()
      cancel = undefined
      buffered += input
      drain(false)
      // The end of a paste may be long in coming; everything else comes whole.
      if (buffered === "" || pasted) return
      cancel = clock.after(escapeMs, () => drain(true))
    },
  }
}

interface KeyRead {
  readonly key: Key | undefined
  /** 0 if more input is needed to decide. */
  readonly length: number
}

const more: KeyRead = { key: undefined, length: 0 }
const named = (name: string, length: number): KeyRead => ({ key: { kind: "key", name }, length })

function nextKey(input: string, isWhole: boolean): KeyRead {
  if (input[0] === "\u001b") return escaped(input, isWhole)
  const control = controlNames[input[0] ?? ""] ?? controlLetter(input.charCodeAt(0))
  if (control !== undefined) return named(control, 1)
  const text = /^\P{Cc}+/u.exec(input)?.[0]
  if (text === undefined) return { key: undefined, length: 1 }
  return { key: { kind: "text", text }, length: text.length }
}

const controlNames: { readonly [character: string]: string } = {
  "\r": "enter",
  "\n": "ctrl+j",
  "\t": "tab",
  "\u007f": "backspace",
  "\u0000": "ctrl+space",
  "\u001c": "ctrl+\\",
  "\u001d": "ctrl+]",
  "\u001e": "ctrl+^",
  "\u001f": "ctrl+_",
}

const controlLetter = (code: number): string | undefined =>
  code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 96)}` : undefined

function escaped(input: string, isWhole: boolean): KeyRead {
  if (input.length === 1) return isWhole ? named("escape", 1) : more
  const sequence = /^(?:\[([\d;:?<>=]*)([A-Za-z~])|O([A-Za-z]))/.exec(input.slice(1))
  if (sequence)
    return { key: keyOf(sequence[1] ?? "", sequence[2] ?? sequence[3] ?? ""), length: 1 + sequence[0].length }
  if (input[1] === "[" || input[1] === "O") {
    if (!isWhole) return more
    return { key: undefined, length: input.length }
  }
  if (input[1] === "\u001b") return twiceEscaped(input, isWhole)
  const rest = nextKey(input.slice(1), true)
  if (rest.key?.kind === "text") {
    const letter = String.fromCodePoint(rest.key.text.codePointAt(0) ?? 0)
    return named(`alt+${letter.toLowerCase()}`, 1 + letter.length)
  }
  return rest.key?.kind === "key" ? named(withAlt(rest.key.name), 1 + rest.length) : { key: undefined, length: 1 }
}

/** Two escapes are two keys, unless a sequence follows: some terminals send an extra escape for alt. */
function twiceEscaped(input: string, isWhole: boolean): KeyRead {
  const sequence = input.slice(2)
  if (!isWhole && /^(?:[[O][\d;]*)?$/.test(sequence)) return more
  if (!/^(?:\[[\d;]*[A-H~]|O[A-H])/.test(sequence)) return named("escape", 1)
  const { key, length } = escaped(input.slice(1), true)
  return key?.kind === "key" ? named(withAlt(key.name), 1 + length) : { key, length: 1 + length }
}

const withAlt = (name: string): string =>
  name.startsWith("ctrl+") ? `ctrl+alt+${name.slice(5)}` : name.startsWith("alt+") ? name : `alt+${name}`

const finalNames: { readonly [letter: string]: string } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "shift+tab",
}

const tildeNames: { readonly [number: string]: string } = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
}

const codeNames: { readonly [code: number]: string } = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57425: "insert",
  57426: "delete",
}

const pad = { first: 57_399, types: "0123456789./*-+" } as const
/** Modifiers alone, volume keys and the like. */
const isSignless = (code: number): boolean => code >= 57_344 && code <= 63_743

function keyOf(parameters: string, final: string): Key | undefined {
  const [first = "", second = "1", third = ""] = parameters.split(";")
  if (first.startsWith("<"))
    return mouseKey(Number(first.slice(1)), final, { column: Number(second), row: Number(third) })
  // F3 with a modifier looks the same, with a 1.
  if (final === "R" && Number(first) > 1)
    return { kind: "key", name: "cursor", at: { row: Number(first), column: Number(second) } }
  if (final === "u") return coded(Number(first.split(":")[0]), second)
  if (final === "~" && first === "27") return coded(Number(third), second)
  const name = final === "~" ? tildeNames[first] : finalNames[final]
  return name === undefined ? undefined : { kind: "key", name: modifiers(second) + name }
}

const wheelUp = 64
const wheelDown = 65
/** Shift, alt and ctrl with the mouse mean what they mean without. */
const mouseModifiers = 0b11100

/** The left button, when it is pressed, and the wheel. */
function mouseKey(code: number, final: string, at: ScreenPlace): Key | undefined {
  const button = code & ~mouseModifiers
  if (final !== "M") return undefined
  if (button === wheelUp) return { kind: "key", name: "wheelup" }
  if (button === wheelDown) return { kind: "key", name: "wheeldown" }
  return button === 0 ? { kind: "key", name: "click", at } : undefined
}

/** As newer terminals report keys. */
function coded(code: number, modifier: string): Key | undefined {
  if (!Number.isInteger(code) || code < 8 || code > 0x10ffff) return undefined
  const prefix = modifiers(modifier)
  const typed = code === 32 ? " " : (pad.types[code - pad.first] ?? (isSignless(code) ? undefined : letterOf(code)))
  const name = codeNames[code] ?? typed
  if (name === undefined) return undefined
  const isText = typed !== undefined && (codeNames[code] === undefined || code === 32)
  if (isText && (prefix === "" || prefix === "shift+"))
    return { kind: "text", text: prefix === "" ? typed : typed.toUpperCase() }
  return { kind: "key", name: prefix + name }
}

const letterOf = (code: number): string | undefined =>
  code < 32 || (code >= 0x7f && code <= 0x9f) || (code >= 0xd800 && code <= 0xdfff)
    ? undefined
    : String.fromCodePoint(code)

/** Keys of the window system get a name too, so that they are not read as letters. */
function modifiers(parameter: string): string {
  const bits = Number(parameter.split(":")[0]) - 1
  if (!Number.isInteger(bits) || bits < 0) return ""
  const own = `${bits & 4 ? "ctrl+" : ""}${bits & 2 ? "alt+" : ""}${bits & 1 ? "shift+" : ""}`
  return bits & 0b111000 ? `super+${own}` : own
}
