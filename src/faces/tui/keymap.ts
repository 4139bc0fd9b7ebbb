/** What can be bound to keys, in one table, and the keys that are bound: the defaults, with the user's own over them. */

import type { JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import type { Key } from "./keys.ts"
import { keyName, readKeys } from "./key-names.ts"

interface Action {
  /** A key with several actions does the first that applies. */
  readonly keys: readonly string[]
  readonly about: string
  /** Listed in the short help. */
  readonly help?: true
}

/** Actions of the whole face come before those of the text, so they are tried first. */
export const actionTable = {
  send: { keys: ["enter"], about: "Send; while the agent works, queue", help: true },
  "new-line": { keys: ["ctrl+j", "shift+enter", "alt+enter"], about: "New line; also \\ then Enter", help: true },
  stop: { keys: ["escape"], about: "Interrupt; twice to clear the prompt, or to rewind", help: true },
  cancel: { keys: ["ctrl+c"], about: "Clear or interrupt; twice to quit", help: true },
  leave: { keys: ["ctrl+d"], about: "Quit when the prompt is empty; otherwise delete to the right" },
  palette: {
    keys: ["ctrl+p"],
    about: "Find a command or a key; within several lines, one line up",
    help: true,
  },
  suspend: { keys: ["ctrl+z"], about: "Suspend; fg to resume" },
  redraw: { keys: ["ctrl+l"], about: "Redraw the screen" },
  "next-mode": { keys: ["shift+tab"], about: "Next permission mode", help: true },
  "toggle-thinking": { keys: ["alt+t"], about: "Turn thinking on or off" },
  "show-transcript": { keys: ["ctrl+o"], about: "Show the whole transcript, with search", help: true },
  "toggle-todos": {
    keys: ["ctrl+t"],
    about: "Show or hide the task list; without one, swap two characters",
    help: true,
  },
  "toggle-side": {
    keys: ["alt+s"],
    about: "Show or hide the column beside the prompt, from 140 columns",
    help: true,
  },
  "to-background": {
    keys: ["ctrl+b"],
    about: "Move the running command to the background; otherwise one character left",
    help: true,
  },
  "search-history": { keys: ["ctrl+r"], about: "Search earlier prompts", help: true },
  stash: { keys: ["ctrl+s"], about: "Stash the draft, or restore it", help: true },
  "edit-outside": { keys: ["ctrl+g", "ctrl+x ctrl+e"], about: "Edit the prompt in your editor", help: true },
  paste: { keys: ["ctrl+v"], about: "Paste a picture from the clipboard", help: true },
  help: { keys: ["?", "f1"], about: "Show or hide help when the prompt is empty" },
  left: { keys: ["left", "ctrl+b"], about: "One character left" },
  right: { keys: ["right", "ctrl+f"], about: "One character right" },
  "word-left": { keys: ["alt+b", "ctrl+left", "alt+left"], about: "One word left" },
  "word-right": { keys: ["alt+f", "ctrl+right", "alt+right"], about: "One word right" },
  "line-start": { keys: ["ctrl+a", "home"], about: "Start of the line" },
  "line-end": { keys: ["ctrl+e", "end"], about: "End of the line" },
  "text-start": { keys: ["ctrl+home", "alt+<"], about: "Start of the prompt" },
  "text-end": { keys: ["ctrl+end", "alt+>"], about: "End of the prompt" },
  up: {
    keys: ["up", "ctrl+p"],
    about: "One line up; in an empty prompt, the last queued prompt; then earlier prompts",
  },
  down: { keys: ["down", "ctrl+n"], about: "One line down; then later prompts" },
  "delete-left": { keys: ["backspace", "shift+backspace", "ctrl+h"], about: "Delete left" },
  "delete-right": { keys: ["delete", "ctrl+d"], about: "Delete right" },
  "cut-blank-left": { keys: ["ctrl+w"], about: "Delete the word left, up to a space" },
  "cut-word-left": { keys: ["alt+backspace", "ctrl+backspace"], about: "Delete the word left" },
  "cut-word-right": { keys: ["alt+d", "ctrl+delete"], about: "Delete the word right" },
  "cut-line-start": { keys: ["ctrl+u"], about: "Delete to the start of the line" },
  "cut-line-end": { keys: ["ctrl+k"], about: "Delete to the end of the line" },
  "bring-back": { keys: ["ctrl+y"], about: "Paste what was deleted" },
  "bring-back-earlier": { keys: ["alt+y"], about: "Replace the pasted text with an earlier deletion" },
  "swap-characters": { keys: ["ctrl+t"], about: "Swap the two characters at the cursor" },
  undo: { keys: ["ctrl+_", "ctrl+shift+-", "ctrl+/"], about: "Undo", help: true },
  redo: { keys: ["alt+_", "ctrl+shift+z"], about: "Redo" },
} as const

export type ActionName = keyof typeof actionTable
type NamedAction = Action & { readonly name: ActionName }

export const actions: readonly NamedAction[] = Object.entries<Action>(actionTable).map(([name, action]) => ({
  ...action,
  // The keys of an object are its keys.
  name: name as ActionName,
}))

export interface Keymap {
  /** `prefix`: the keys of a sequence so far. */
  readonly find: (prefix: string, key: Key) => KeyMatch
  /** The user's own first. */
  readonly keysOf: (action: ActionName) => readonly string[]
}

export type KeyMatch =
  | { readonly kind: "actions"; readonly names: readonly ActionName[] }
  /** A sequence has begun. */
  | { readonly kind: "continues"; readonly held: string }
  | { readonly kind: "nothing" }

type Bindings = ReadonlyMap<string, readonly ActionName[]>

/** Settings over defaults; a warning for each binding that cannot be used. */
export function readKeymap(settings: JsonObject): { readonly keymap: Keymap; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  const own = new Map<string, readonly ActionName[]>()
  for (const [written, value] of Object.entries(settings)) {
    const keys = readKeys(written)
    if (!keys.ok) {
      warnings.push(`keybindings: ${keys.failure}`)
      continue
    }
    if (keys.value === "ctrl+c") {
      warnings.push("keybindings: ctrl+c cannot be bound; Ctrl+C always interrupts and quits.")
      continue
    }
    const names = value === null ? [] : actionNamed(value)
    if (names === undefined) warnings.push(`keybindings: ${written} is bound to ${unknownAction(value)}`)
    else own.set(keys.value, names)
  }
  for (const keys of own.keys()) {
    const longer = [...own.keys()].find((other) => other.startsWith(`${keys} `))
    if (longer === undefined || own.get(keys)?.length === 0) continue
    warnings.push(
      `keybindings: ${keys} is the start of ${longer}, so the longer binding is never reached. Unbind one of them with null.`,
    )
  }
  return { keymap: openKeymap(own), warnings }
}

export const defaultKeymap: Keymap = openKeymap(new Map())

function openKeymap(own: Bindings): Keymap {
  const bindings = new Map<string, readonly ActionName[]>()
  for (const { name, keys } of actions)
    for (const key of keys) if (!isHidden(key, own)) bindings.set(key, [...(bindings.get(key) ?? []), name])
  for (const [keys, names] of own) if (names.length > 0) bindings.set(keys, names)
  /** Hints ask with every frame. */
  const found = new Map<ActionName, readonly string[]>()
  const begins = new Set([...bindings.keys()].flatMap((keys) => [...beginningsOf(keys)]))

  return {
    find(prefix, key) {
      const name = keyName(key)
      if (name === undefined) return { kind: "nothing" }
      const keys = prefix === "" ? name : `${prefix} ${name}`
      const names = bindings.get(keys)
      if (names) return { kind: "actions", names }
      return begins.has(keys) ? { kind: "continues", held: keys } : { kind: "nothing" }
    },
    keysOf(action) {
      const known = found.get(action)
      if (known) return known
      const all = [...bindings].flatMap(([keys, names]) => (names.includes(action) ? [keys] : []))
      const keys = [...all.filter((one) => own.has(one)), ...all.filter((one) => !own.has(one))]
      found.set(action, keys)
      return keys
    },
  }
}

/** Whether the user rebound the key itself, a sequence it begins, or the key that begins it. */
function isHidden(key: string, own: Bindings): boolean {
  if (own.has(key)) return true
  for (const [keys, names] of own)
    if (names.length > 0 && (keys.startsWith(`${key} `) || key.startsWith(`${keys} `))) return true
  return false
}

function* beginningsOf(keys: string): Generator<string> {
  for (let at = keys.indexOf(" "); at !== -1; at = keys.indexOf(" ", at + 1)) yield keys.slice(0, at)
}

function actionNamed(value: unknown): readonly ActionName[] | undefined {
  const action = actions.find(({ name }) => name === value)
  return action && [action.name]
}

function unknownAction(value: unknown): string {
  if (typeof value !== "string")
    return `${JSON.stringify(value)}, which is not an action. Use the name of an action, or null.`
  const names = actions.map(({ name }) => name)
  const near = nearNames(value, names, 1)[0]
  return `${JSON.stringify(value)}, which is not an action. ${near ? `Did you mean ${near}?` : "/keys lists them."}`
}
