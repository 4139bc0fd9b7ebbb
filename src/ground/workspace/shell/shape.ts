/** The shape of a command line: which flags and operands a program may be given, as data, and whether words fit it. */

import type { Follows } from "./links.ts"
import type { ShellPlace } from "./analysis.ts"
import { type Argument, isListed } from "./argument.ts"
import { fitsKind, type Kind, toKind } from "./kind.ts"
import type { Lists } from "./made-names.ts"
import { type Flags, type SortedWords, type Sorted, sortOut } from "./sort-out.ts"

/**
 * What a program asks besides files, so that a sandbox of its own would answer wrongly: the processes, sockets and
 * interfaces of the machine; a host in the network; a service on this machine, such as a daemon; git's own settings.
 */
export type Asks = "machine" | "network" | "service" | "git-settings" | "nothing"

/** Where a command runs. */
export interface CommandFolders {
  readonly folders: readonly string[] | undefined
  readonly place: ShellPlace
}

/** What a program may be given so that it does no more than its table says. */
export interface Shape extends Flags {
  /** What follows the flags, by kind: `path*`, `text path*`, `write+`, with `?` for at most one. */
  readonly operands?: string | ((words: SortedWords) => string)
  /** It reads the working folder when no path is given. */
  readonly here?: true | ((words: SortedWords) => boolean)
  /** Flags must come before operands: after them, some systems would take them for further operands. */
  readonly flagsFirst?: true
  /** It accepts flags anywhere, on every system. */
  readonly flagsAnywhere?: boolean
  /** A further condition: why the words do not fit, as the end of a sentence. */
  readonly unless?: (words: Sorted) => string | undefined
  /** Files that, in the working folder or above it, could make the name mean another program. */
  readonly unlessFile?: readonly string[]
  /** Keys of the `package.json` in the working folder or above it that make it another program. */
  readonly unlessKey?: readonly string[]
  /** Whether a project's `.npmrc` matters: only one with plain settings is harmless. */
  readonly unlessNpmrc?: true
  /** What its files must not contain: that would make it read others. */
  readonly unlessHolds?: RegExp
  /** Files in the working folder or above it that it reads, and what they must not contain. */
  readonly unlessFileHolds?: { readonly files: readonly string[]; readonly holds: RegExp }
  /** Files beside those it is given, or in a folder above them, that change what it does. */
  readonly unlessBeside?: readonly string[]
  /** Names in the working folder that it would load instead of its own. */
  readonly unlessNamed?: RegExp
  /** A further condition that looks at the disk: why it would do more there, or show a secret. */
  readonly unlessAround?: (words: SortedWords, standing: CommandFolders) => string | undefined
  /** A word with a leading at sign is a file with further words. */
  readonly responseFiles?: true
  /** Whether it follows links below a folder; `in folders`: if what it is given is one. */
  readonly follows?: (words: SortedWords) => Follows
  /** Whether it lists a link that a pattern matches without following it. */
  readonly keepsLinks?: (words: SortedWords) => boolean
  /** What it asks besides files; nothing when absent. */
  readonly asks?: Asks | ((words: SortedWords) => Asks)
  /** What it prints, when that is one word that is not a flag. */
  readonly prints?: (words: SortedWords) => "number" | "token" | undefined
  /** Which names it prints, when its output is a list of files. */
  readonly lists?: (words: SortedWords) => Lists | undefined
  /** Whether it prints some of its input lines, unchanged. */
  readonly passes?: (words: SortedWords) => boolean
}

/** The paths that words name, or why they do not fit. */
export type Fit =
  | {
      readonly fits: true
      readonly given: SortedWords
      readonly reads: readonly Argument[]
      readonly writes: readonly Argument[]
    }
  | { readonly fits: false; readonly why: string }

export function fit(args: readonly Argument[], shape: Shape): Fit {
  const sorted = sortOut(args, shape)
  if (typeof sorted === "string") return { fits: false, why: sorted }
  if (shape.responseFiles && args.some(mayNameWords)) return { fits: false, why: "a file could hold further words" }
  const { operands = "" } = shape
  const wanted = typeof operands === "string" ? operands : operands(sorted)
  const named = matchOperands(sorted.operands, wanted)
  if (typeof named === "string") return { fits: false, why: named }
  // Files may bear any name, and one that is not meant as a file could mean anything.
  const strange =
    shape.anything === true ? undefined : named.find(({ kind, value }) => kind !== "path" && isListed(value))
  if (strange) return { fits: false, why: `${strange.value.text} may be more than a file` }
  const why =
    shape.unless?.(sorted) ??
    (shape.anything || shape.flagsAnywhere ? undefined : strictObjection(sorted, wanted, shape))
  if (why !== undefined) return { fits: false, why }
  const all = [...sorted.values, ...named]
  const of = (each: Kind): readonly Argument[] => all.flatMap(({ kind, value }) => (kind === each ? [value] : []))
  const reads = [...of("path"), ...(wanted.includes("path") ? strayPaths(sorted) : [])]
  return { fits: true, given: sorted, reads: reads.filter(({ text }) => text !== "-"), writes: of("write") }
}

/** Whether a word is, or could become, a file from which further words are read. */
function mayNameWords({ kind, text, head, token }: Argument): boolean {
  if (kind === "exact") return text.startsWith("@")
  return kind !== "pipe" && !token && (head === "" || head.startsWith("@"))
}

/** Values of flags after an operand that would be read as files where the operand ends the flags. */
function strayPaths({ operands, strictly }: SortedWords): readonly Argument[] {
  if (strictly.operands.length === operands.length) return []
  return strictly.operands.filter((arg) => /^\/|(?:^|\/)\.\.(?:\/|$)/.test(arg.text) && !operands.includes(arg))
}

/**
 * Not every program reads flags after operands: what is allowed must be safe for those that take them for operands too.
 */
function strictObjection(
  { operands, strictly }: SortedWords,
  wanted: string,
  { unless, flagsFirst }: Shape,
): string | undefined {
  if (strictly.operands.length === operands.length) return undefined
  const most = operandRules(wanted).reduce((sum, rule) => sum + rule.most, 0)
  if (flagsFirst || strictly.operands.length > most) return "a flag stands behind an operand"
  return unless?.(strictly)
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

function operandRules(operands: string): readonly OperandRule[] {
  return operands.split(/\s+/).flatMap((entry) => {
    const [, kind, quantity = ""] = /^(\w+)([?*+]?)$/.exec(entry) ?? []
    if (kind === undefined) return []
    const [least, most] = quantities[toQuantity(quantity)]
    return [{ kind: toKind(kind), least, most }]
  })
}

const toQuantity = (text: string): keyof typeof quantities => (text === "?" || text === "*" || text === "+" ? text : "")
