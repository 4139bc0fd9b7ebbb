/** Completion of what stands before the cursor: commands and their arguments after a slash, files and more after an `@`. */

import { commandNameShape } from "#agent/words/command.ts"
import { modeMeanings, modeNames } from "#agent/words/mode-names.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { effortLevels } from "#agent/words/thinking.ts"
import { places } from "#faces/view/consent.ts"
import { rulePlaceNames } from "#session/slash/rule-places.ts"
import { slashTable } from "#session/slash/table.ts"
import { commandsOf } from "./commands.ts"
import { insert, remove } from "./editor/buffer.ts"
import { type AskedArgument, askedArguments } from "./effect.ts"
import type { History } from "./editor/history.ts"
import { type TuiContext, only, type TuiOutcome } from "./outcome.ts"
import type { CompletionOption, TuiState } from "./state.ts"

const begun = new RegExp(`^/(?:${commandNameShape})?$`, "u")
const usedName = new RegExp(`^/(${commandNameShape})`, "u")
const withArgument = new RegExp(String.raw`^/(${commandNameShape})\s+(.*)$`, "u")

export function completed(state: TuiState, around: TuiContext): TuiOutcome {
  const { buffer, kind } = state.editor
  const none = { ...state, completion: undefined }
  const before = buffer.text.slice(0, buffer.at)
  if (kind === "prompt" && begun.test(before)) return only(withOptions(none, 0, commandOptions(before, state, around)))
  const [, name, words = ""] = (kind === "prompt" && withArgument.exec(before)) || []
  if (name !== undefined && !words.includes("@")) return completedArgument(none, name, words, around)
  const path = /(?:^|\s)@(\S*)$/.exec(before)?.[1]
  if (path === undefined) return only(none)
  return only(none, { kind: "find", words: path, from: buffer.at - path.length - 1 })
}

/** Commands may arrive after the user started to type one. */
export function completedAgain(state: TuiState, around: TuiContext): TuiState {
  if (!begun.test(state.editor.buffer.text)) return state
  // The first one is nobody's choice.
  const chosen = state.completion?.at ? state.completion.options[state.completion.at]?.text : undefined
  const { completion } = completed(state, around).state
  const at = completion?.options.findIndex(({ text }) => text === chosen) ?? 0
  return { ...state, completion: completion && { ...completion, at: Math.max(0, at) } }
}

/** Exact matches first, then prefixes, then those that contain the letters; within each, the most used. */
function commandOptions(before: string, state: TuiState, around: TuiContext): readonly CompletionOption[] {
  const typed = before.slice(1).normalize("NFC")
  const here = usesOf(state.editor.history)
  const usesIn = (name: string): number => Math.max(here.get(name) ?? 0, state.uses?.get(`/${name}`) ?? 0)
  const options = commandsOf(around).flatMap(({ name, about }) => {
    const named = [name, ...aliasesOf(name)].find((known) => known.startsWith(typed)) ?? name
    const rank = named === typed ? 0 : named.startsWith(typed) ? 1 : typed.length > 1 && name.includes(typed) ? 2 : 3
    return rank === 3 ? [] : [{ rank, uses: usesIn(name), option: { text: `/${named}`, about } }]
  })
  return options.toSorted((a, b) => a.rank - b.rank || b.uses - a.uses).map(({ option }) => option)
}

const aliasesOf = (name: string): readonly string[] =>
  slashTable.find((command) => command.name === name)?.aliases ?? []

function usesOf({ entries }: History): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  for (const entry of entries) {
    const name = usedName.exec(entry)?.[1]
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  return uses
}

/** Known arguments at once; others are asked for, and a command from a file shows its hint. */
function completedArgument(none: TuiState, name: string, words: string, around: TuiContext): TuiOutcome {
  const from = none.editor.buffer.at - words.length
  if (name === "permissions") return only(completedRule(none, words))
  const fixed = fixedArguments[name]
  if (fixed) return only(withOptions(none, from, fitting(fixed, words), unpointed))
  if (isAsked(name)) return only(none, { kind: "find_argument", command: name, words, from })
  const takes = words === "" ? (commandsOf(around).find((command) => command.name === name)?.takes ?? "") : ""
  const shown = takes === "" ? none : { ...none, completion: { from, options: [], at: 0, takes } }
  if (!name.startsWith("mcp__")) return only(shown)
  const last = /\S*$/.exec(words)?.[0] ?? ""
  const at = none.editor.buffer.at - last.length
  return only(shown, { kind: "find_prompt_argument", command: name, args: words, words: last, from: at })
}

const fixedArguments: { readonly [command: string]: readonly CompletionOption[] } = {
  mode: permissionModes.map((mode) => ({ text: mode, about: `${modeNames[mode]}: ${modeMeanings[mode]}` })),
  effort: ["auto", ...effortLevels].map((text) => ({ text, about: "" })),
  plan: [{ text: "edit", about: "Open the plan in your editor" }],
}

/** `add allow`, then a rule, which nobody knows but the user, then where it is saved. */
function completedRule(none: TuiState, words: string): TuiState {
  const { at } = none.editor.buffer
  const place = /\s--to\s+(\w*)$/.exec(words)?.[1]
  if (place !== undefined) return withOptions(none, at - place.length, fitting(rulePlaces, place), unpointed)
  if (/^add\s+(?:allow|ask|deny)\s+$/.test(words))
    return { ...none, completion: { from: at, options: [], at: 0, takes: ruleForm } }
  return withOptions(none, at - words.length, fitting(addedBehaviors, words), unpointed)
}

const addedBehaviors: readonly CompletionOption[] = [
  { text: "add allow ", about: "Add a rule for what runs without asking", goesOn: true },
  { text: "add ask ", about: "Add a rule for what is always asked about", goesOn: true },
  { text: "add deny ", about: "Add a rule for what never runs", goesOn: true },
]

const ruleForm = "<rule>, such as Bash(npm test:*) or Edit(src/**) [--to session | local | project | user]"

const rulePlaces: readonly CompletionOption[] = Object.entries(rulePlaceNames).map(([text, destination]) => ({
  text,
  about: places[destination],
}))

const isAsked = (name: string): name is AskedArgument => askedArguments.some((known) => known === name)

/** Prefixes first, then those that contain the words. */
const fitting = (options: readonly CompletionOption[], words: string): readonly CompletionOption[] => {
  const wanted = words.toLowerCase()
  const has = options.filter(({ text, about }) => `${text} ${about}`.toLowerCase().includes(wanted))
  const begins = ({ text }: CompletionOption): number => Number(text.toLowerCase().startsWith(wanted))
  // What is written whole needs no completion.
  if (has.some(({ text }) => text.toLowerCase() === wanted)) return []
  return has.toSorted((a, b) => begins(b) - begins(a))
}

/** Ignored if the text has changed since. */
export function foundArgument(
  state: TuiState,
  words: string,
  from: number,
  options: readonly CompletionOption[],
): TuiState {
  const { text, at } = state.editor.buffer
  return text.slice(from, at) === words && text.startsWith("/")
    ? withOptions(state, from, fitting(options, words), unpointed)
    : state
}

/** Ignored if the text has changed since. */
export function found(state: TuiState, words: string, from: number, options: readonly CompletionOption[]): TuiState {
  const { text, at } = state.editor.buffer
  if (text.slice(from, at) !== `@${words}` || options.length === 0) return state
  return withOptions(state, from, byUse(options.map(mentioned), state.editor.history))
}

/** Quoted if the path would otherwise end too soon. */
const mentioned = (option: CompletionOption): CompletionOption => ({
  ...option,
  text: /[\s"'`]/.test(option.text) ? `@"${option.text}"` : `@${option.text}`,
})

/** Recently mentioned ones first; the rest keeps its order. */
function byUse(options: readonly CompletionOption[], { entries }: History): readonly CompletionOption[] {
  const recent = entries.slice(-mostRecent).toReversed()
  const ages = options.map(({ text }) => recent.findIndex((entry) => entry.includes(text)))
  const age = (index: number): number => (ages[index] === -1 ? mostRecent : (ages[index] ?? mostRecent))
  return [...options.keys()].toSorted((a, b) => age(a) - age(b)).flatMap((index) => options[index] ?? [])
}

const mostRecent = 50

const withOptions = (state: TuiState, from: number, options: readonly CompletionOption[], at = 0): TuiState => ({
  ...state,
  completion: options.length === 0 ? undefined : { from, options, at },
})

/** An argument counts as typed until another one is selected: `opus` does not mean `opusplan`. */
const unpointed = -1

export function pointed(state: TuiState, by: number): TuiState {
  const { completion } = state
  if (!completion) return state
  const count = completion.options.length
  const at = completion.at === unpointed && by < 0 ? 0 : completion.at
  return { ...state, completion: { ...completion, at: (at + by + count) % count } }
}

/** After a folder, completion continues inside it. */
export function accepted(state: TuiState, around: TuiContext): TuiOutcome {
  const { completion, editor } = state
  const option = completion?.options[Math.max(0, completion.at)]
  if (!completion || !option) return only(state)
  const cleared = remove(editor.buffer, completion.from, editor.buffer.at)
  if (option.goesOn && !option.text.endsWith('"')) {
    const buffer = insert(cleared, option.text)
    return completed({ ...state, editor: { ...editor, buffer } }, around)
  }
  const isSpaced = cleared.text[cleared.at] === " "
  const put = insert(cleared, isSpaced ? option.text : `${option.text} `)
  const buffer = isSpaced ? { ...put, at: put.at + 1 } : put
  return only({ ...state, completion: undefined, editor: { ...editor, buffer }, spacedAt: buffer.at })
}
