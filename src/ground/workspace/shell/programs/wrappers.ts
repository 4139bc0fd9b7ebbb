/** Removes wrappers: programs that run the command after them and add nothing of their own. */

import { type Argument, exactTexts, exactly } from "#ground/workspace/shell/argument.ts"
import type { Setting } from "#ground/workspace/shell/analysis.ts"
import { type Stripping, strippingOf } from "./launchers.ts"
import { isHarmlessSetting } from "#ground/workspace/shell/names.ts"
import { type Listing, wordsFrom } from "#ground/workspace/shell/listing.ts"
import { isOperand } from "#ground/workspace/shell/made-names.ts"
import { sortOut } from "#ground/workspace/shell/sort-out.ts"

export const isWrapper = (name: string): boolean =>
  name === "env" || name === "xargs" || strippingOf(name) !== undefined

export interface Unwrapped {
  readonly wrappers: readonly string[]
  readonly args: readonly Argument[]
  /** What `env` sets for the command. */
  readonly settings: readonly Setting[]
  /** Whether the command still runs in the shell itself, so that `cd` affects it. */
  readonly inShell: boolean
  /** Whether words follow that another program supplies. */
  readonly open: boolean
}

export function unwrap(args: readonly Argument[], fed: Listing | undefined): Unwrapped {
  let state: Unwrapped = { wrappers: [], args, settings: [], inShell: true, open: false }
  for (;;) {
    const inner = peel(state, fed)
    if (!inner) return state
    state = inner
  }
}

function peel(state: Unwrapped, fed: Listing | undefined): Unwrapped | undefined {
  const [program, ...rest] = state.args
  const name = program?.kind === "exact" ? program.text.replace(/^\/(?:usr\/)?bin\//, "") : ""
  if (name === "env") return peelEnv(state, rest)
  if (name === "xargs") return peelXargs(state, rest, fed)
  const wrapper = strippingOf(name)
  if (!wrapper || (wrapper.needs !== undefined && rest[0]?.text !== wrapper.needs)) return undefined
  const start = commandStart(rest, wrapper)
  if (start === undefined) return undefined
  return {
    ...state,
    wrappers: [...state.wrappers, name],
    args: rest.slice(start),
    inShell: state.inShell && wrapper.inShell === true,
  }
}

/** Where the inner command starts; undefined when the words before it are not on the list, or there is none. */
function commandStart(args: readonly Argument[], { takes = [], ...shape }: Stripping): number | undefined {
  let start = 0
  while (start < args.length && args[start]?.kind === "exact" && args[start]?.text.startsWith("-")) {
    const isEnd = args[start]?.text === "--"
    const pair = sortOut(args.slice(start, start + 1), shape)
    // A flag that wants its value from the next word does not fit alone, but fits with it.
    const width = typeof pair === "string" && typeof sortOut(args.slice(start, start + 2), shape) !== "string" ? 2 : 1
    if (typeof pair === "string" && width === 1) return undefined
    start += width
    if (isEnd) break
  }
  const before = args.slice(start, start + takes.length)
  if (before.length !== takes.length || !before.every(({ kind, text }, i) => kind === "exact" && takes[i]?.test(text)))
    return undefined
  start += takes.length
  return args[start]?.kind === "exact" ? start : undefined
}

/** `env NAME=value command`, without flags: -S would split text into words, -i would remove the PATH. */
function peelEnv(state: Unwrapped, rest: readonly Argument[]): Unwrapped | undefined {
  const count = rest.findIndex(({ kind, text }) => kind !== "exact" || !/^[A-Za-z_]\w*=/.test(text))
  const inner = count === -1 ? [] : rest.slice(count)
  if (inner[0]?.kind !== "exact" || inner[0].text.startsWith("-")) return undefined
  const settings = rest.slice(0, count).map(({ text }): Setting => {
    const equals = text.indexOf("=")
    const [name, value] = [text.slice(0, equals), text.slice(equals + 1)]
    return { name, value, harmless: isHarmlessSetting(name, value) }
  })
  return {
    ...state,
    wrappers: [...state.wrappers, "env"],
    args: inner,
    settings: [...state.settings, ...settings],
    inShell: false,
  }
}

const xargsShape: Stripping = {
  flags:
    "-0 -r -t -n:number -P:number -L:number -I:text --null --no-run-if-empty --verbose --max-args:number --max-procs:number --max-lines:number",
}

/** xargs adds unknown words to the command; a list of files at least bounds them. */
function peelXargs(state: Unwrapped, rest: readonly Argument[], fed: Listing | undefined): Unwrapped | undefined {
  // On its own it prints what it is fed.
  if (rest.length === 0)
    return { ...state, wrappers: [...state.wrappers, "xargs"], args: [exactly("echo")], inShell: false, open: true }
  const isAlone = typeof sortOut(rest, xargsShape) !== "string" && rest.every(({ text }) => text.startsWith("-"))
  if (isAlone && !rest.some(({ text }) => /^-.*I/.test(text))) return peelXargs(state, [...rest, exactly("echo")], fed)
  const start = commandStart(rest, xargsShape)
  const own = start === undefined ? undefined : sortOut(rest.slice(0, start), xargsShape)
  if (start === undefined || own === undefined || typeof own === "string" || !exactTexts(rest.slice(0, start)))
    return undefined
  // A name with a space in it would be two, of which the second may lead anywhere.
  const known = wordsFrom(fed, own.flags.has("-0") || own.flags.has("--null") ? "nul" : "spaces")
  const item: Argument = { text: "…", kind: "dynamic", head: "", many: true, ...known }
  const mark = own.values.find(({ flag }) => flag === "-I")?.value.text
  const inner = rest.slice(start)
  const args = mark === undefined ? [...inner, item] : inner.map((arg) => placed(arg, mark, item))
  return { ...state, wrappers: [...state.wrappers, "xargs"], args, inShell: false, open: true }
}

function placed(arg: Argument, mark: string, item: Argument): Argument {
  if (!arg.text.includes(mark)) return arg
  if (arg.text === mark) return { ...item, many: false }
  const words = item.words?.map((word) => arg.text.replaceAll(mark, () => word))
  if (item.loose || !words?.every(isOperand)) return { ...exactly(arg.text), kind: "unknown", head: "" }
  return { ...item, text: arg.text, words, many: false }
}
