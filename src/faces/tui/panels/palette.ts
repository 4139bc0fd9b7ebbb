/** The palette: every command and every action of the screen with its key, found by a few letters of it. */

import type { CommandRow } from "#agent/words/command.ts"
import type { Effect, PaletteChoice } from "#faces/tui/effect.ts"
import { keyLabel } from "#faces/tui/key-names.ts"
import { type ActionName, actionTable, type Keymap } from "#faces/tui/keymap.ts"
import type { Uses } from "#faces/tui/state.ts"
import type { ListDefinition, PanelRow } from "./panel.ts"

/** What can be done from a list; the others need a text and a cursor. */
const offered: readonly ActionName[] = [
  "next-mode",
  "show-transcript",
  "toggle-todos",
  "toggle-side",
  "to-background",
  "search-history",
  "stash",
  "edit-outside",
  "paste",
  "toggle-thinking",
  "redraw",
  "suspend",
  "help",
]

/** Keys that do what a command does. */
const commandKeys: { readonly [command: string]: readonly ActionName[] } = {
  exit: ["leave"],
  rewind: ["stop", "stop"],
}

const mostUsed = 6

/** Loaded with the first palette. */
type Fuzzy = (rows: readonly PanelRow[], query: string, uses: Uses | undefined) => readonly PanelRow[]

async function openFuzzy(): Promise<Fuzzy> {
  const { extendedMatch, Fzf } = await import("fzf")
  return (rows, query, uses) =>
    new Fzf(rows, {
      selector: ({ text }) => text,
      match: extendedMatch,
      casing: "case-insensitive",
      tiebreakers: [(a, b) => usedOf(uses, b.item) - usedOf(uses, a.item)],
    })
      .find(query)
      .map(({ item }) => item)
}

export interface PaletteParts {
  readonly commands: readonly CommandRow[]
  readonly keymap: Keymap
  readonly uses: Uses | undefined
}

export function palettePanel({ commands, keymap, uses }: PaletteParts): ListDefinition<readonly Effect[]> {
  const choices = new Map<string, PaletteChoice>()
  const keyOf = (name: ActionName): string => keyLabel(keymap.keysOf(name)[0] ?? "")
  const ofCommands = commands.map(({ name, about, takes }): PanelRow => {
    const key = `/${name}`
    choices.set(key, { kind: "command", line: key, sends: !takes.startsWith("<") })
    const keys = (commandKeys[name] ?? []).map(keyOf).join(" ").trim()
    return { key, text: key, facts: keys === "" ? about : `${about} (${keys})`, group: "Commands" }
  })
  const ofActions = offered.map((name): PanelRow => {
    choices.set(name, { kind: "action", name })
    return { key: name, text: keyOf(name) || "no key", facts: actionTable[name].about, group: "Keys" }
  })
  const all = [...ofActions, ...ofCommands]
  let fuzzy: Fuzzy | undefined
  return {
    kind: "list",
    title: "Commands and keys",
    empty: "",
    search: "rows",
    find: (rows, query) => (query.trim() === "" ? byUse(rows, uses) : found(rows, query, uses, fuzzy)),
    asked: "by a key",
    enterLabel: "run",
    async load() {
      fuzzy ??= await openFuzzy()
      return all
    },
    async choose({ key }) {
      const choice = choices.get(key)
      return { kind: "closes", result: choice ? [{ kind: "choose", choice }] : [] }
    },
  }
}

const usedOf = (uses: Uses | undefined, { key }: PanelRow): number => uses?.get(key) ?? 0

function byUse(rows: readonly PanelRow[], uses: Uses | undefined): readonly PanelRow[] {
  const most = rows
    .filter((row) => usedOf(uses, row) > 0)
    .toSorted((a, b) => usedOf(uses, b) - usedOf(uses, a))
    .slice(0, mostUsed)
  return [...most.map((row) => ({ ...row, group: "Most used" })), ...rows.filter((row) => !most.includes(row))]
}

/** Names by their letters; then descriptions, by whole words, because a few letters are in all of them. */
function found(
  rows: readonly PanelRow[],
  query: string,
  uses: Uses | undefined,
  fuzzy: Fuzzy | undefined,
): readonly PanelRow[] {
  const named = fuzzy?.(rows, query.trim(), uses) ?? []
  const words = query.toLowerCase().split(/\s+/)
  const described = byUse(rows, uses).filter(({ text, facts = "" }) => {
    const all = `${text} ${facts}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  const keys = new Set([...named, ...described].map(({ key }) => key))
  return [...keys].flatMap((key) => rows.find((row) => row.key === key) ?? []).map(({ group: _apart, ...row }) => row)
}
