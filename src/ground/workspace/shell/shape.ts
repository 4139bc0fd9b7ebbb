/** The shape of a command line: which flags and operands a program may be given, as data, and whether words fit it. */

import { type Argument, mayBeFlag } from "./argument.ts"

/**
 * What a program may be given so that it does no more than its table says.
 *
 * `flags` lists every flag: `-a` takes nothing, `-n:number` takes a value, `--color?word` may take one after `=` (or
 * attached, for a short flag). `operands` lists what follows: `path*`, `text path*`, `write+`, with `?` for at most one.
 * Kinds: `text` anything, `word` no path and no blank, `number`, `path` is read, `write` is written.
 */
export interface Shape {
  readonly flags?: string
  readonly operands?: string | ((given: Given) => string)
  /** Nothing that could be given to it does harm, so that a pattern or a list of files may supply words. */
  readonly anything?: true
  /** It reads the working folder when no path is given. */
  readonly here?: true | ((given: Given) => boolean)
  /** `-5` is a number of lines or commits. */
  readonly digits?: true
  /** Flags must stand before operands: after them, some systems would take them for further operands. */
  readonly flagsFirst?: true
  /** It reads flags wherever they stand, on every system. */
  readonly flagsAnywhere?: boolean
  /** A further condition: why the words do not fit, as the end of a sentence. */
  readonly unless?: (given: Sorted) => string | undefined
  /** Files that, in the working folder or above it, could make the name mean another program. */
  readonly unlessFile?: readonly string[]
  /** Whether what it prints is a list of paths. */
  readonly lists?: (given: Given) => boolean
  /** Whether it prints some of the lines it is fed, unchanged. */
  readonly passes?: (given: Given) => boolean
}

/** Words sorted out. */
export interface Given extends Sorted {
  /** The same words as a program sorts them for which the first operand ends the flags. */
  readonly strictly: Sorted
}

export interface Sorted {
  readonly flags: ReadonlySet<string>
  readonly values: readonly { readonly flag: string; readonly kind: Kind; readonly value: Argument }[]
  readonly operands: readonly Argument[]
}

export type Kind = "text" | "word" | "number" | "path" | "write"

/** What words come to: the paths they name, or why they do not fit. */
export type Fit =
  | {
      readonly fits: true
      readonly given: Given
      readonly reads: readonly Argument[]
      readonly writes: readonly Argument[]
    }
  | { readonly fits: false; readonly why: string }

export function fit(args: readonly Argument[], shape: Shape): Fit {
  const sorted = sortOut(args, shape)
  if (typeof sorted === "string") return { fits: false, why: sorted }
  const { operands = "" } = shape
  const wanted = typeof operands === "string" ? operands : operands(sorted)
  const named = matchOperands(sorted.operands, wanted)
  if (typeof named === "string") return { fits: false, why: named }
  const why =
    shape.unless?.(sorted) ??
    (shape.anything || shape.flagsAnywhere ? undefined : strictObjection(sorted, wanted, shape))
  if (why !== undefined) return { fits: false, why }
  const all = [...sorted.values, ...named]
  const of = (each: Kind): readonly Argument[] => all.flatMap(({ kind, value }) => (kind === each ? [value] : []))
  const reads = [...of("path"), ...(wanted.includes("path") ? strayPaths(sorted) : [])]
  return { fits: true, given: sorted, reads: reads.filter(({ text }) => text !== "-"), writes: of("write") }
}

/** Values of flags behind an operand that would be read as files where the operand ends the flags. */
function strayPaths({ operands, strictly }: Given): readonly Argument[] {
  if (strictly.operands.length === operands.length) return []
  return strictly.operands.filter((arg) => /^\/|(?:^|\/)\.\.(?:\/|$)/.test(arg.text) && !operands.includes(arg))
}

/** Not every program reads flags behind operands: what is allowed must hold for those that take them for operands too. */
function strictObjection(
  { operands, strictly }: Given,
  wanted: string,
  { unless, flagsFirst }: Shape,
): string | undefined {
  if (strictly.operands.length === operands.length) return undefined
  const most = operandRules(wanted).reduce((sum, rule) => sum + rule.most, 0)
  if (flagsFirst || strictly.operands.length > most) return "a flag stands behind an operand"
  return unless?.(strictly)
}

interface Flag {
  readonly takes: "nothing" | "value" | "perhaps"
  readonly kind: Kind
}

/** Sorts words into flags and operands as getopt does; a sentence's end when a word is not on the list. */
export function sortOut(args: readonly Argument[], shape: Shape): Given | string {
  const table = flagsOf(shape.flags ?? "")
  const flags = new Set<string>()
  const values: Given["values"][number][] = []
  const operands: Argument[] = []
  let ended = false
  let at = 0
  let strictly: Sorted | undefined

  const operand = (arg: Argument): void => {
    strictly ??= { flags: new Set(flags), values: [...values], operands: args.slice(at) }
    operands.push(arg)
  }

  const take = (flag: string, { kind }: Flag, attached: string | undefined): string | undefined => {
    const value = attached === undefined ? args[++at] : exactValue(attached)
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
    if (flag.takes === "value") return take(name, flag, equals === -1 ? undefined : text.slice(equals + 1))
    if (equals !== -1) {
      if (flag.takes === "nothing") return `its flag ${name} takes no value`
      return take(name, flag, text.slice(equals + 1))
    }
    flags.add(name)
    return undefined
  }

  const bundle = (text: string): string | undefined => {
    if (table(text)?.takes === "nothing") {
      flags.add(text)
      return undefined
    }
    if (shape.digits && /^-\d+$/.test(text)) return undefined
    for (let i = 1; i < text.length; i++) {
      const name = `-${text[i]}`
      const flag = table(name)
      if (!flag) return `its flag ${name} is not on the list`
      const rest = text.slice(i + 1)
      if (flag.takes === "value") return take(name, flag, rest === "" ? undefined : rest)
      if (flag.takes === "perhaps" && rest !== "") return take(name, flag, rest)
      flags.add(name)
    }
    return undefined
  }

  for (; at < args.length; at++) {
    const arg = args[at]
    if (!arg) break
    if (arg.kind !== "exact") {
      if (!ended && isFlagWithPattern(arg, table)) continue
      const why = ended || shape.anything ? undefined : uncertain(arg)
      if (why !== undefined) return why
      operand(arg)
    } else if (ended || arg.text === "-" || !arg.text.startsWith("-")) {
      // After `--` too: whoever disagrees about what came before would take it for a flag.
      if (arg.text.startsWith("-") && arg.text !== "-") return `its operand ${arg.text} looks like a flag`
      operand(arg)
    } else if (arg.text === "--") ended = true
    else {
      const why = arg.text.startsWith("--") ? long(arg.text) : bundle(arg.text)
      if (why !== undefined) return why
    }
  }
  const sorted = { flags, values, operands }
  return { ...sorted, strictly: strictly ?? sorted }
}

/** `--include=*.ts` begins with its flag, whatever it matches. */
function isFlagWithPattern({ kind, head }: Argument, table: FlagTable): boolean {
  const [, name] = /^(--[\w-]+)=/.exec(head) ?? []
  return kind === "glob" && name !== undefined && table(name)?.kind === "text"
}

/** Why a word of which only the beginning is known may not stand where flags are read. */
function uncertain(arg: Argument): string | undefined {
  if (arg.kind === "unknown") return "one of its words is not known"
  return mayBeFlag(arg) ? `${arg.text} may become a flag` : undefined
}

const quantities = { "": [1, 1], "?": [0, 1], "*": [0, Infinity], "+": [1, Infinity] } as const

interface OperandRule {
  readonly kind: Kind
  readonly least: number
  readonly most: number
}

function matchOperands(
  operands: readonly Argument[],
  wanted: string,
): readonly { kind: Kind; value: Argument }[] | string {
  const rules = operandRules(wanted)
  if (operands.length < rules.reduce((sum, { least }) => sum + least, 0)) return "an operand is missing"
  const named: { kind: Kind; value: Argument }[] = []
  let at = 0
  for (const { kind, most } of rules) {
    for (let taken = 0; taken < most && at < operands.length; taken++, at++) {
      const value = operands[at]
      if (!value) break
      if (value.many && most !== Infinity) return `${value.text} may become several words`
      if (value.kind === "unknown" || !fitsKind(value, kind))
        return `its operand ${value.text} is not of the right kind`
      named.push({ kind, value })
    }
  }
  return at < operands.length ? "it has more operands than are on the list" : named
}

/** A separate value that looks like a flag may be one, if this table and the program disagree about who takes it. */
function isPlainValue(value: Argument, kind: Kind): boolean {
  if (value.kind === "exact") return !value.text.startsWith("-") || (kind === "number" && /^-\d+$/.test(value.text))
  return kind === "text" && value.kind !== "unknown" && !value.many
}

function fitsKind({ kind: certainty, text }: Argument, kind: Kind): boolean {
  switch (kind) {
    case "text":
      return true
    case "word":
      return certainty === "exact" && /^[\w.,:@=+%^~-]*$/.test(text)
    case "number":
      return certainty === "exact" && /^[+-]?\d[\d.]*[A-Za-z%]{0,3}$/.test(text)
    case "path":
    case "write":
      // Some programs read `+5` as a command.
      return !text.startsWith("+") && text !== ""
  }
}

const exactValue = (text: string): Argument => ({ text, kind: "exact", head: text, many: false })

type FlagTable = (name: string) => Flag | undefined

/** Looks a flag up where it is written: cheaper than a map for the few flags of one command. The last mention counts. */
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

function operandRules(operands: string): readonly OperandRule[] {
  return operands.split(/\s+/).flatMap((entry) => {
    const [, kind, quantity = ""] = /^(\w+)([?*+]?)$/.exec(entry) ?? []
    if (kind === undefined) return []
    const [least, most] = quantities[toQuantity(quantity)]
    return [{ kind: toKind(kind), least, most }]
  })
}

const toQuantity = (text: string): keyof typeof quantities => (text === "?" || text === "*" || text === "+" ? text : "")

/** A kind that is written wrongly in a table becomes the strictest one. */
const toKind = (text: string | undefined): Kind =>
  text === "text" || text === "word" || text === "path" || text === "write" ? text : "number"
