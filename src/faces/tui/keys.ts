/** What a terminal sends, as keys: letters, named keys with their modifiers, and whole pastes. */

import type { Clock } from "#lib/clock.ts"

export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  /** Named as in `enter`, `left`, `ctrl+c`, `alt+f`, `shift+tab`; modifiers in the order ctrl, alt, shift. */
  | { readonly kind: "key"; readonly name: string }

export interface KeyReader {
  readonly take: (input: string) => void
}

const pasteStart = "\u001b[200~"
const pasteEnd = "\u001b[201~"
/** An escape alone is the key; one that begins a sequence is followed by the rest at once. */
const escapeMs = 30

/** Turns input into keys. Sequences may come in parts; a lone escape is told after a short while. */
export function openKeys({ clock, onKey }: { readonly clock: Clock; readonly onKey: (key: Key) => void }): KeyReader {
  let held = ""
  let cancel: (() => void) | undefined

  function drain(isWhole: boolean): void {
    while (held !== "") {
      const { key, length } = nextKey(held, isWhole)
      if (length === 0) return
      held = held.slice(length)
      if (key) onKey(key)
    }
  }

  return {
    take(input) {
      cancel?.()
      cancel = undefined
      held += input
      drain(false)
      // The end of a paste may be long in coming; everything else comes whole.
      if (held === "" || held.startsWith(pasteStart)) return
      cancel = clock.after(escapeMs, () => drain(true))
    },
  }
}

interface Next {
  readonly key: Key | undefined
  /** 0 when more must come before it can be told. */
  readonly length: number
}

const more: Next = { key: undefined, length: 0 }
const named = (name: string, length: number): Next => ({ key: { kind: "key", name }, length })

function nextKey(held: string, isWhole: boolean): Next {
  if (held.startsWith(pasteStart)) {
    const end = held.indexOf(pasteEnd)
    if (end === -1) return more
    const text = held.slice(pasteStart.length, end).replaceAll(/\r\n?/g, "\n")
    return { key: { kind: "paste", text }, length: end + pasteEnd.length }
  }
  if (held[0] === "\u001b") return escaped(held, isWhole)
  const control = controlNames[held[0] ?? ""] ?? controlLetter(held.charCodeAt(0))
  if (control !== undefined) return named(control, 1)
  // oxlint-disable-next-line no-control-regex -- a run of text ends where a control character begins.
  const text = /^[^\u0000-\u001f\u007f-\u009f]+/.exec(held)?.[0]
  if (text === undefined) return { key: undefined, length: 1 }
  return { key: { kind: "text", text }, length: text.length }
}

const controlNames: { readonly [character: string]: string } = {
  "\r": "enter",
  "\n": "ctrl+j",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "ctrl+backspace",
}

const controlLetter = (code: number): string | undefined => {
  if (code === 31) return "ctrl+_"
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 96)}` : undefined
}

function escaped(held: string, isWhole: boolean): Next {
  if (held.length === 1) return isWhole ? named("escape", 1) : more
  // oxlint-disable-next-line no-control-regex -- sequences begin with a control character.
  const sequence = /^\u001b(?:\[([\d;:?<>=]*)([A-Za-z~])|O([A-Za-z]))/.exec(held)
  if (sequence) return { key: keyOf(sequence[1] ?? "", sequence[2] ?? sequence[3] ?? ""), length: sequence[0].length }
  if (held[1] === "[" || held[1] === "O") {
    if (!isWhole) return more
    return { key: undefined, length: held.length }
  }
  if (held[1] === "\u001b") return named("escape", 1)
  const rest = nextKey(held.slice(1), true)
  if (rest.key?.kind === "text") {
    const letter = String.fromCodePoint(rest.key.text.codePointAt(0) ?? 0)
    return named(`alt+${letter.toLowerCase()}`, 1 + letter.length)
  }
  return rest.key?.kind === "key" ? named(`alt+${rest.key.name}`, 1 + rest.length) : { key: undefined, length: 1 }
}

const finalNames: { readonly [letter: string]: string } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "shift+tab",
}

const tildeNames: { readonly [number: string]: string } = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
}

const codeNames: { readonly [code: number]: string } = {
  9: "tab",
  13: "enter",
  27: "escape",
  32: " ",
  127: "backspace",
}

function keyOf(parameters: string, final: string): Key | undefined {
  const [first = "", second = "1", third = ""] = parameters.split(";")
  if (final === "u") return coded(Number(first.split(":")[0]), second)
  if (final === "~" && first === "27") return coded(Number(third), second)
  const name = final === "~" ? tildeNames[first] : finalNames[final]
  return name === undefined ? undefined : { kind: "key", name: modifiers(second) + name }
}

/** A key told by its code point, as newer terminals do. */
function coded(code: number, modifier: string): Key | undefined {
  if (!Number.isInteger(code) || code < 9 || code > 0x10ffff) return undefined
  const prefix = modifiers(modifier)
  const name = codeNames[code] ?? String.fromCodePoint(code)
  const plain = codeNames[code] === undefined || code === 32
  if (plain && (prefix === "" || prefix === "shift+"))
    return { kind: "text", text: prefix === "" ? name : name.toUpperCase() }
  return { kind: "key", name: prefix + name }
}

function modifiers(parameter: string): string {
  const bits = Number(parameter.split(":")[0]) - 1
  if (!Number.isInteger(bits) || bits < 0) return ""
  return `${bits & 4 ? "ctrl+" : ""}${bits & 2 ? "alt+" : ""}${bits & 1 ? "shift+" : ""}`
}
