/** Sorts the words of a command line into flags, their values and operands, as far as a list of flags allows. */

import { type Argument, exactly, mayBeFlag } from "./argument.ts"
import { fitsKind, type Kind, toKind } from "./kind.ts"

export interface Flags {
  /** Every flag: `-a` takes nothing, `-n:number` takes a value, `--color?word` may take one after `=` or attached. */
  readonly flags?: string
  /**
   * How it reads letters after one dash, when not like getopt. `apart`: values are in the next word, and what follows a
   * letter are further flags. `whole`: a word is one flag. A number right after a flag is its value for these too.
   */
  readonly letters?: "apart" | "whole"
  /** `-5` is a number of lines or commits. */
  readonly digits?: true
  /**
   * Nothing that could be given to it does harm, so that a pattern may supply words; `patterns`: but nothing else may.
   */
  readonly anything?: true | "patterns"
}

export interface SortedWords extends Sorted {
  /** The same words for a program for which the first operand ends the flags. */
  readonly strictly: Sorted
  /** The operands after the `--` that ends the flags. */
  readonly behindDashes: readonly Argument[]
}

export interface Sorted {
  readonly flags: ReadonlySet<string>
  readonly values: readonly { readonly flag: string; readonly kind: Kind; readonly value: Argument }[]
  readonly operands: readonly Argument[]
}

interface Flag {
  readonly takes: "nothing" | "value" | "perhaps"
  readonly kind: Kind
}

/** Like getopt; the end of a sentence when a word is not on the list. */
export function sortOut(args: readonly Argument[], shape: Flags): SortedWords | string {
  const table = flagsOf(shape.flags ?? "")
  const flags = new Set<string>()
  const values: SortedWords["values"][number][] = []
  const operands: Argument[] = []
  const behindDashes: Argument[] = []
  let ended = false
  let at = 0
  let strictly: Sorted | undefined

  const operand = (arg: Argument): void => {
    strictly ??= { flags: new Set(flags), values: [...values], operands: args.slice(at) }
    operands.push(arg)
    if (ended) behindDashes.push(arg)
  }

  const readValue = (flag: string, { kind }: Flag, attached: string | undefined): string | undefined => {
    const value = attached === undefined ? args[++at] : exactly(attached)
    if (!value) return `${flag} lacks its value`
    if (attached === undefined && !isPlainValue(value, kind)) return `the value of ${flag} could be a flag`
    if (!fitsKind(value, kind)) return `the value of ${flag} is not plain`
    flags.add(flag)
    values.push({ flag, kind, value })
    return undefined
  }

  const long = (text: string): string | undefined => {
    const equals = text.indexOf("=")
    const name = equals === -1 ? text : text.slice(0, equals)
    const flag = table(name)
    if (!flag) return `its flag ${name} is not on the list`
    if (flag.takes === "value") return readValue(name, flag, equals === -1 ? undefined : text.slice(equals + 1))
    if (equals !== -1) {
      if (flag.takes === "nothing") return `its flag ${name} takes no value`
      return readValue(name, flag, text.slice(equals + 1))
    }
    flags.add(name)
    return undefined
  }

  for (; at < args.length; at++) {
    const arg = args[at]
    if (!arg) break
    if (arg.kind !== "exact") {
      const named = ended ? undefined : flagWithPattern(arg, table)
      if (named !== undefined) {
        flags.add(named)
        values.push({ flag: named, kind: "text", value: { ...arg, text: arg.text.slice(named.length + 1), head: "" } })
        continue
      }
      const isFree = shape.anything === true || (shape.anything === "patterns" && arg.kind === "glob")
      const why = ended || isFree ? undefined : uncertain(arg)
      if (why !== undefined) return why
      operand(arg)
    } else if (ended || arg.text === "-" || !arg.text.startsWith("-")) {
      // After `--` too: a program that disagrees about what came before would take it for a flag, which may do harm.
      if (arg.text.startsWith("-") && arg.text !== "-" && !(ended && shape.anything))
        return `its operand ${arg.text} looks like a flag`
      operand(arg)
    } else if (arg.text === "--") ended = true
    else {
      const why = arg.text.startsWith("--") ? long(arg.text) : bundle(arg.text, { table, shape, flags, readValue })
      if (why !== undefined) return why
    }
  }
  const sorted = { flags, values, operands }
  return { ...sorted, behindDashes, strictly: strictly ?? sorted }
}

interface Bundling {
  readonly table: FlagTable
  readonly shape: Flags
  /** The flags found so far; more are added. */
  readonly flags: Set<string>
  readonly readValue: (flag: string, known: Flag, attached: string | undefined) => string | undefined
}

/** One dash: letters, each a flag, or a long flag of a program that writes them so. */
function bundle(text: string, { table, shape, flags, readValue }: Bundling): string | undefined {
  const whole = table(text)
  if (whole?.takes === "nothing") {
    flags.add(text)
    return undefined
  }
  // Some programs have long flags behind one dash, and take what follows.
  if (whole?.takes === "value" && text.length > 2) return readValue(text, whole, undefined)
  if (whole?.takes === "perhaps" && text.length > 2) {
    flags.add(text)
    return undefined
  }
  const equals = text.indexOf("=")
  const named = equals > 2 ? table(text.slice(0, equals)) : undefined
  if (named && named.takes !== "nothing") return readValue(text.slice(0, equals), named, text.slice(equals + 1))
  if (shape.digits && /^-\d+$/.test(text)) return undefined
  if (shape.letters === "whole" && !/^-.\d*$/s.test(text)) return `its flag ${text} is not on the list`
  for (let i = 1; i < text.length; i++) {
    const name = `-${text[i]}`
    const flag = table(name)
    if (!flag) return `its flag ${name} is not on the list`
    const rest = text.slice(i + 1)
    if (shape.letters && flag.takes !== "nothing" && !/^\d*$/.test(rest)) return `the value of ${name} must stand apart`
    if (flag.takes === "value") return readValue(name, flag, rest === "" ? undefined : rest)
    if (flag.takes === "perhaps" && rest !== "") return readValue(name, flag, rest)
    flags.add(name)
  }
  return undefined
}

/** `--include=*.ts` starts with its flag, whatever it matches; its value is then unknown. */
function flagWithPattern({ kind, head }: Argument, table: FlagTable): string | undefined {
  const [, name] = /^(--[\w-]+)=/.exec(head) ?? []
  return kind === "glob" && name !== undefined && table(name)?.kind === "text" ? name : undefined
}

/** Why a word with only a known prefix may not be where flags are read. */
function uncertain(arg: Argument): string | undefined {
  if (arg.kind === "unknown") return "one of its words is not known"
  return mayBeFlag(arg) ? `${arg.text} may become a flag` : undefined
}

/**
 * A separate value that looks like a flag may be one, if this table and the program disagree about which flag takes it.
 */
function isPlainValue(value: Argument, kind: Kind): boolean {
  if (value.kind === "exact") return !value.text.startsWith("-") || (kind === "number" && /^-\d+$/.test(value.text))
  if (value.number === "always" && value.token && kind === "number") return true
  return kind === "text" && value.kind !== "unknown" && !value.many
}

type FlagTable = (name: string) => Flag | undefined

/**
 * Looks a flag up in the string itself: cheaper than a map for the few flags of one command. The last mention counts.
 */
function flagsOf(flags: string): FlagTable {
  const padded = ` ${flags} `
  return (name) => {
    if (!/^--?[^\s:?=]+$/.test(name)) return undefined
    const entry = ` ${name}`
    for (let at = padded.lastIndexOf(entry); at !== -1; at = at === 0 ? -1 : padded.lastIndexOf(entry, at - 1)) {
      const after = at + entry.length
      const how = padded[after]
      if (how === " ") return { takes: "nothing", kind: "text" }
      if (how === ":" || how === "?") {
        const kind = toKind(padded.slice(after + 1, padded.indexOf(" ", after)))
        return { takes: how === ":" ? "value" : "perhaps", kind }
      }
    }
    return undefined
  }
}
