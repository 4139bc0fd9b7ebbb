/** Path patterns as in gitignore, matched name by name, never by string prefix. */

import { failed, ok, type Result } from "#lib/result.ts"
import { matchesWhole, type Token } from "./wildcard.ts"

/** What a pattern is relative to: the root, the home folder, the settings that contain it, or the working folder. */
export type Anchor = "root" | "home" | "base" | "cwd"

/** One step of a pattern: any number of folders, or a name. `plain` is the name if it has no wildcard. */
export type PatternStep =
  { readonly kind: "folders" } | { readonly kind: "name"; readonly tokens: readonly Token[]; readonly plain?: string }

export interface PathPattern {
  readonly anchor: Anchor
  /** How many folders above the anchor it begins. */
  readonly up: number
  readonly steps: readonly PatternStep[]
  /** It ended in a slash: only folders match, and everything in them. */
  readonly foldersOnly: boolean
}

/** `whole`: the path matches. `below`: not the path itself, but everything that could be in it. */
export type PathMatch = "whole" | "below" | "no"

export function parsePathPattern(content: string): Result<PathPattern, string> {
  if (content.includes("\u0000")) return failed("a path cannot contain a NUL character")
  if (content.startsWith("!")) return failed("a pattern cannot be negated with !; write a rule of the other kind")
  if (/^~[^/]/.test(content)) return failed("only ~/ is understood, not the home of another user; write //home/name/")
  const { anchor, rest, anchored } = anchorOf(content)
  const names = rest.split("/").filter((name) => name !== "" && name !== ".")
  let up = 0
  while (names[0] === "..") {
    names.shift()
    up++
  }
  if (names.includes("..")) return failed("a pattern may go up with .. only at its beginning")
  if (up > 0 && anchor === "root") return failed("nothing lies above the root")
  const steps: PatternStep[] = []
  for (const name of names) {
    const step = parseName(name)
    if (!step.ok) return step
    steps.push(step.value)
  }
  const foldersOnly = rest.endsWith("/")
  // As in gitignore, a single name matches at any depth.
  const floats = !anchored && up === 0 && names.length === 1 && !/\/./.test(rest)
  return ok({ anchor, up, steps: floats ? [{ kind: "folders" }, ...steps] : steps, foldersOnly })
}

function anchorOf(content: string): { readonly anchor: Anchor; readonly rest: string; readonly anchored: boolean } {
  if (content.startsWith("//")) return { anchor: "root", rest: content.slice(2), anchored: true }
  if (content === "~" || content.startsWith("~/")) return { anchor: "home", rest: content.slice(1), anchored: true }
  if (content.startsWith("/")) return { anchor: "base", rest: content.slice(1), anchored: true }
  return { anchor: "cwd", rest: content, anchored: content === "." || content.startsWith("./") }
}

function parseName(name: string): Result<PatternStep, string> {
  if (/^\*{2,}$/.test(name)) return ok({ kind: "folders" })
  const tokens: Token[] = []
  const chars = [...name]
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? ""
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "many") tokens.push({ kind: "many" })
    } else if (char === "?") tokens.push({ kind: "one" })
    else if (char === "\\") {
      const next = chars[++i]
      if (next === undefined) return failed("a backslash at the end escapes nothing")
      tokens.push({ kind: "char", char: next })
    } else if (char === "[") {
      const parsed = parseClass(chars, i)
      if (!parsed.ok) return parsed
      tokens.push(parsed.value.token)
      i = parsed.value.end
    } else tokens.push({ kind: "char", char })
  }
  const plain = tokens.every((token) => token.kind === "char") ? tokens.map(({ char }) => char).join("") : undefined
  return ok({ kind: "name", tokens, ...(plain !== undefined && { plain }) })
}

function parseClass(
  chars: readonly string[],
  from: number,
): Result<{ readonly token: Token; readonly end: number }, string> {
  let i = from + 1
  const negated = chars[i] === "!" || chars[i] === "^"
  if (negated) i++
  const ranges: { from: string; to: string }[] = []
  // A closing bracket in the first position is literal.
  for (let first = true; chars[i] !== "]" || first; first = false) {
    if (chars[i] === "[" && chars[i + 1] === ":")
      return failed("named classes such as [:alpha:] are not understood; write a-zA-Z")
    const low = chars[i] === "\\" ? chars[++i] : chars[i]
    if (low === undefined) return failed("a [ is never closed; write \\[ for the character itself")
    i++
    if (chars[i] !== "-" || chars[i + 1] === "]" || chars[i + 1] === undefined) {
      ranges.push({ from: low, to: low })
      continue
    }
    i++
    const high = chars[i] === "\\" ? chars[++i] : chars[i]
    if (high === undefined) return failed("a [ is never closed; write \\[ for the character itself")
    i++
    ranges.push({ from: low, to: high })
  }
  return ok({ token: { kind: "class", negated, ranges }, end: i })
}

/** Matches the names of a path below the pattern's anchor. A pattern that matches a folder matches everything in it. */
export function matchPath(
  { steps, foldersOnly }: Pick<PathPattern, "steps" | "foldersOnly">,
  names: readonly string[],
  { leaf }: { readonly leaf: "file" | "perhaps a folder" },
): PathMatch {
  let states = reach([0], steps)
  const done = (at: number): boolean =>
    isComplete(states, steps) && (at < names.length || !foldersOnly || leaf === "perhaps a folder")
  if (done(0)) return "whole"
  for (const [i, name] of names.entries()) {
    states = reach(stepped(states, steps, name), steps)
    if (done(i + 1)) return "whole"
  }
  return endsInFolders(states, steps) ? "below" : "no"
}

/** What a name in a folder has to match so that `matchPath` does not say "no" to the two together. */
export function namesLeft(
  { steps }: Pick<PathPattern, "steps">,
  names: readonly string[],
): "any" | readonly (readonly Token[])[] {
  let states = reach([0], steps)
  for (const name of names) {
    if (isComplete(states, steps)) return "any"
    states = reach(stepped(states, steps, name), steps)
  }
  if (isComplete(states, steps)) return "any"
  const left: (readonly Token[])[] = []
  for (const state of states) {
    const step = steps[state]
    const next = reach([step?.kind === "name" ? state + 1 : state], steps)
    if (!isComplete(next, steps) && !endsInFolders(next, steps)) continue
    if (step?.kind !== "name") return "any"
    left.push(step.tokens)
  }
  return left
}

/** How many steps may have been taken: rising numbers, mostly one or two. */
type States = readonly number[]

const isComplete = (states: States, steps: readonly PatternStep[]): boolean => states.at(-1) === steps.length

const endsInFolders = (states: States, steps: readonly PatternStep[]): boolean =>
  steps.at(-1)?.kind === "folders" && states.includes(steps.length - 1)

function stepped(states: States, steps: readonly PatternStep[], name: string): States {
  const next: number[] = []
  for (const state of states) {
    const step = steps[state]
    if (step?.kind === "folders") {
      add(next, state)
      if (state === steps.length - 1) add(next, steps.length)
    } else if (step && isNamed(step, name)) add(next, state + 1)
  }
  return next
}

const isNamed = ({ plain, tokens }: Extract<PatternStep, { kind: "name" }>, name: string): boolean =>
  plain === undefined ? matchesWhole(tokens, name) : plain === name

/** States come in their order, so one that is not beyond the last is there already. */
function add(states: number[], state: number): void {
  if (state > (states.at(-1) ?? -1)) states.push(state)
}

export function couldMatchBelow({ steps }: Pick<PathPattern, "steps">, names: readonly string[]): boolean {
  let states = reach([0], steps)
  for (const name of names) states = reach(stepped(states, steps, name), steps)
  return states.length > 0
}

/** Folders in the middle match zero or more names; at the end at least one. */
function reach(states: States, steps: readonly PatternStep[]): States {
  const reached: number[] = []
  for (const state of states) {
    add(reached, state)
    for (let at = state; at === reached.at(-1) && isSkipped(at, steps);) add(reached, ++at)
  }
  return reached
}

const isSkipped = (at: number, steps: readonly PatternStep[]): boolean =>
  steps[at]?.kind === "folders" && at < steps.length - 1
