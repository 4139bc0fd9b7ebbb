/** How keys are called, in settings and in words. */

import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Key } from "./keys.ts"

const named: readonly string[] = [
  ..."enter tab escape backspace delete insert home end pageup pagedown up down left right space".split(" "),
  ...Array.from({ length: 12 }, (_, i) => `f${i + 1}`),
]

const synonyms: ReadonlyMap<string, string> = new Map([
  ["return", "enter"],
  ["esc", "escape"],
  ["del", "delete"],
  ["ins", "insert"],
  ["page-up", "pageup"],
  ["page-down", "pagedown"],
  ["control", "ctrl"],
  ["meta", "alt"],
  ["option", "alt"],
  ["opt", "alt"],
])

const modifiers = ["ctrl", "alt", "shift"] as const

/** Undefined for text of several characters, and for pastes. */
export function keyName(key: Key): string | undefined {
  switch (key.kind) {
    case "key":
      return key.name.endsWith("+ ") || key.name === " " ? `${key.name.slice(0, -1)}space` : key.name
    case "text":
      return key.text === " " ? "space" : [...key.text].length === 1 ? key.text : undefined
    case "paste":
      return undefined
  }
}

/** Normalises keys as people write them (`Ctrl+X ctrl+e`); fails with a sentence. */
export function readKeys(written: string): Result<string, string> {
  const keys: string[] = []
  for (const part of written.trim().split(/\s+/)) {
    const key = readKey(part)
    if (!key.ok) return key
    keys.push(key.value)
  }
  const [first = ""] = keys
  if (first === "") return failed("a binding has no key.")
  // Whoever could not type a letter any more could not write a prompt.
  if ([...first].length === 1 && first !== "?")
    return failed(`${JSON.stringify(written)} is a plain letter; add ctrl+ or alt+ before it.`)
  return ok(keys.join(" "))
}

function readKey(written: string): Result<string, string> {
  // The plus sign itself may be the key: ctrl++.
  const parts =
    /^(.+)\+\+$/.exec(written)?.[1]?.split("+").concat("+") ?? (written === "+" ? ["+"] : written.split("+"))
  const normalized = parts
    .map((part) => (part.length === 1 ? part : part.toLowerCase()))
    .map((part) => synonyms.get(part) ?? part)
  const key = normalized.at(-1) ?? ""
  const before = normalized.slice(0, -1)
  const wrong = before.find((part) => !modifiers.some((known) => known === part))
  if (wrong !== undefined)
    return failed(`${written} has ${wrong}+, which is not a modifier. Use ctrl+, alt+ or shift+.`)
  const isLetter = [...key].length === 1
  if (!isLetter && !named.includes(key)) {
    const near = nearNames(key, named, 1)[0]
    return failed(`${written} is not a key. ${near ? `Did you mean ${[...before, near].join("+")}?` : keyWords}`)
  }
  const prefix = modifiers.filter((known) => before.includes(known)).map((known) => `${known}+`)
  return ok(prefix.join("") + (isLetter && prefix.length > 0 ? key.toLowerCase() : key))
}

const keyWords = `Keys are letters and ${named.slice(0, 15).join(", ")}, f1 to f12.`

const labels: ReadonlyMap<string, string> = new Map([
  ["escape", "Esc"],
  ["pageup", "PageUp"],
  ["pagedown", "PageDown"],
])

/** As people write them: Ctrl+X Ctrl+E. The settings take this spelling too. */
export const keyLabel = (keys: string): string =>
  keys
    .split(" ")
    .map((key) =>
      // A single letter without a modifier is what is typed; elsewhere a capital is easier to see.
      [...key].length === 1 ? key : key.replaceAll(/[^+]+/g, (part) => labels.get(part) ?? capital(part)),
    )
    .join(" ")

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
