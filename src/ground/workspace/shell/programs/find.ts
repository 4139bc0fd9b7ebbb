/** find, as far as it only reads: tests and printing on a list, with the commands that `-exec` would start. */

import type { WalkedFile, WalkLimits } from "#ground/workspace/shell/analysis.ts"
import type { Argument } from "#ground/workspace/shell/argument.ts"
import { type Finding, refused } from "./program.ts"

/** Tests and options by how many words they take. */
const words: { readonly [name: string]: 0 | 1 } = {
  "!": 0,
  "(": 0,
  ")": 0,
  ",": 0,
  "-a": 0,
  "-amin": 1,
  "-and": 0,
  "-anewer": 1,
  "-atime": 1,
  "-cmin": 1,
  "-cnewer": 1,
  "-ctime": 1,
  "-daystart": 0,
  "-depth": 0,
  "-empty": 0,
  "-executable": 0,
  "-false": 0,
  "-gid": 1,
  "-group": 1,
  "-ignore_readdir_race": 0,
  "-ilname": 1,
  "-iname": 1,
  "-inum": 1,
  "-ipath": 1,
  "-iregex": 1,
  "-iwholename": 1,
  "-links": 1,
  "-lname": 1,
  "-ls": 0,
  "-maxdepth": 1,
  "-mindepth": 1,
  "-mmin": 1,
  "-mount": 0,
  "-mtime": 1,
  "-name": 1,
  "-newer": 1,
  "-newerat": 1,
  "-newerct": 1,
  "-newermt": 1,
  "-nogroup": 0,
  "-not": 0,
  "-nouser": 0,
  "-o": 0,
  "-or": 0,
  "-path": 1,
  "-perm": 1,
  "-print": 0,
  "-print0": 0,
  "-printf": 1,
  "-prune": 0,
  "-quit": 0,
  "-readable": 0,
  "-regex": 1,
  "-regextype": 1,
  "-samefile": 1,
  "-size": 1,
  "-true": 0,
  "-type": 1,
  "-uid": 1,
  "-used": 1,
  "-user": 1,
  "-wholename": 1,
  "-writable": 0,
  "-xdev": 0,
  "-xtype": 1,
}

/** find's own words, and the commands it would start. */
export interface FindCommand {
  readonly roots: readonly Argument[]
  /** Files that others are compared with. */
  readonly references: readonly Argument[]
  readonly inner: readonly (readonly Argument[])[]
  readonly deletes: boolean
  /** Whether any test narrows what is found. */
  readonly narrows: boolean
  readonly prints: "lines" | "nul" | "other"
  readonly passes: (found: WalkedFile) => boolean
  readonly limits: WalkLimits
  /** What is not on the list, as the end of a sentence. */
  readonly strange?: string
}

export function readFind(args: readonly Argument[]): FindCommand {
  const start = args.findIndex(({ kind, text }) => kind === "exact" && /^(?:-.|[!(),]$)/.test(text))
  const roots = start === -1 ? args : args.slice(0, start)
  const expression = start === -1 ? [] : args.slice(start)
  const inner: (readonly Argument[])[] = []
  const seen: string[] = []
  const references: Argument[] = []
  let strange: string | undefined
  for (let i = 0; i < expression.length; i++) {
    const { text, kind } = expression[i] ?? { text: "", kind: "unknown" }
    seen.push(text)
    const isExec = kind === "exact" && /^-(?:exec|ok)(?:dir)?$/.test(text)
    if (isExec) {
      const end = endOfCommand(expression, i + 1)
      if (end === -1) strange ??= `its ${text} does not end`
      else inner.push(expression.slice(i + 1, end))
      if (text !== "-exec") strange ??= `${text} is not on the list`
      i = end === -1 ? expression.length : end
    } else if (kind === "exact" && Object.hasOwn(words, text)) {
      const takes = words[text] ?? 0
      // The value of a test is never a flag, but it must be one word.
      if (takes > 0 && (expression[i + 1]?.many ?? true)) strange ??= `the value of ${text} may become several words`
      const value = expression[i + 1]
      if (value && comparing.has(text)) references.push(value)
      i += takes
    } else strange ??= `its word ${text} is not on the list`
  }
  if (roots.some((root) => root.kind === "unknown" || root.head === "" || root.head.startsWith("-")))
    strange ??= "where it starts is not known"
  return {
    roots,
    references,
    inner,
    deletes: seen.includes("-delete"),
    narrows: seen.some((word) => Object.hasOwn(words, word) && !neutral.has(word)),
    prints: seen.some((word) => word === "-printf" || word === "-ls")
      ? "other"
      : seen.includes("-print0")
        ? "nul"
        : "lines",
    ...tests(expression, roots),
    ...(strange !== undefined && { strange }),
  }
}

/** Tests that must all pass narrow what is found; where one of several is enough, anything may be found. */
function tests(expression: readonly Argument[], roots: readonly Argument[]): Pick<FindCommand, "passes" | "limits"> {
  const isPlain = expression.every(({ kind, text }) => kind !== "exact" || !alternating.has(text))
  if (!isPlain) return { passes: () => true, limits: {} }
  const values = (test: string, isNegated: boolean): readonly string[] =>
    expression.flatMap(({ kind, text }, at) => {
      const value = expression[at + 1]
      const isMeant = kind === "exact" && text === test && negations.has(expression[at - 1]?.text ?? "") === isNegated
      return isMeant && value?.kind === "exact" ? [value.text] : []
    })
  const type = values("-type", false)[0]
  const pattern = values("-name", false)[0] ?? values("-iname", false)[0]
  const names = pattern === undefined || /[\\[]/.test(pattern) ? undefined : nameTest(pattern)
  const depth = values("-maxdepth", false)[0]
  const left = [...values("-path", true), ...values("-wholename", true)]
  // Below a folder of this name nothing is found, wherever it lies or at the top.
  const anywhere = new Set(left.flatMap((each) => /^\*\/([\w.-]+)\/\*$/.exec(each)?.[1] ?? []))
  const isHere = roots.every(({ text }) => text === "." || text === "./")
  const atTop = new Set(isHere ? left.flatMap((each) => /^\.\/([\w.-]+)\/\*$/.exec(each)?.[1] ?? []) : [])
  return {
    passes: ({ path, isLink }) =>
      (!isLink || type === undefined || type.includes("l")) &&
      (names === undefined || names.test(path.slice(path.lastIndexOf("/") + 1))),
    limits: {
      ...(depth !== undefined && /^\d{1,3}$/.test(depth) && { depth: Number(depth) }),
      skips: (path) => atTop.has(path) || anywhere.has(path.slice(path.lastIndexOf("/") + 1)),
    },
  }
}

const nameTest = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split(/[*?]+/).map(RegExp.escape).join(".*")}$`, "is")

const alternating: ReadonlySet<string> = new Set(["-o", "-or", ",", "("])
const negations: ReadonlySet<string> = new Set(["!", "-not"])

const comparing: ReadonlySet<string> = new Set(["-anewer", "-cnewer", "-newer", "-samefile"])

const neutral: ReadonlySet<string> = new Set([
  "-depth",
  "-mindepth",
  "-maxdepth",
  "-print",
  "-print0",
  "-ls",
  "-mount",
  "-xdev",
  "-true",
  "(",
  ")",
  "-a",
  "-o",
  "-and",
  "-or",
])

export function judgeFind(args: readonly Argument[]): Finding {
  const { roots, references, strange, inner, prints, passes, limits } = readFind(args)
  if (strange !== undefined) return refused(strange)
  return {
    ok: true,
    reads: [...roots, ...references],
    writes: [],
    here: roots.length === 0,
    ...(prints !== "other" &&
      inner.length === 0 && {
        lists: { kind: "below", roots: true, passes, limits, nul: prints === "nul" },
        listed: roots,
      }),
  }
}

/** Where a command after -exec ends: at `;`, or at `+` after the braces. */
function endOfCommand(expression: readonly Argument[], from: number): number {
  return expression.findIndex(
    ({ text, kind }, i) =>
      i >= from && kind === "exact" && (text === ";" || (text === "+" && expression[i - 1]?.text === "{}" && i > from)),
  )
}
