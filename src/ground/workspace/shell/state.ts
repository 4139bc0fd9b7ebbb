/** What a shell has changed so far: its folder, the variables it set and the functions it defined. */

import type { Function as ShellFunction } from "unbash"
import { type Argument, someText, unknown } from "./argument.ts"
import type { Listing } from "./listing.ts"
import { isOwnName } from "./names.ts"

export interface State {
  /** Every folder the shell may be in now; undefined when unknown. */
  readonly folders: readonly string[] | undefined
  readonly variables: ReadonlyMap<string, Argument>
  /** The input of a loop in a pipeline, line by line, when that is a list of files. */
  readonly fed?: Listing
  readonly functions?: ReadonlyMap<string, ShellFunction>
  readonly call?: FunctionCall
}

export interface FunctionCall {
  /** Its arguments; `"$@"` stands for them. */
  readonly args: readonly Argument[]
  /** Its local variables, which get their former value back afterwards. */
  readonly locals: ReadonlySet<string>
  readonly depth: number
}

/** The state after a command when it succeeds and when it fails; undefined when that never happens. */
export interface Flow {
  readonly succeeded: State | undefined
  readonly failed: State | undefined
}

export const always = (state: State): Flow => ({ succeeded: state, failed: state })

/** Either of two: the same object when they are equal, so that a change can be detected by identity. */
export function either(a: State | undefined, b: State | undefined): State | undefined {
  return joined(a, b, (name) => unknown(`$${name}`))
}

/** Either of two where more may follow: what differs becomes some number, or some text, but not unknown. */
export function widened(a: State, b: State | undefined): State {
  return joined(a, b, someValue) ?? a
}

export function isSame(a: State, b: State): boolean {
  if (a === b) return true
  if (a.functions !== b.functions || a.call?.locals.size !== b.call?.locals.size) return false
  if (JSON.stringify(a.folders) !== JSON.stringify(b.folders) || a.variables.size !== b.variables.size) return false
  return [...a.variables].every(([name, value]) => isSameValue(value, b.variables.get(name)))
}

export function withVariable(state: State, name: string, value: Argument): State {
  return { ...state, variables: new Map(state.variables).set(name, value) }
}

/** The same with other input: an outer loop's input does not reach it. */
export function unfed(state: State): State {
  if (!state.fed) return state
  const { fed: _fed, ...rest } = state
  return rest
}

type Differing = (name: string, a: Argument | undefined, b: Argument | undefined) => Argument

function joined(a: State | undefined, b: State | undefined, differing: Differing): State | undefined {
  if (a === undefined || a === b) return b
  if (b === undefined) return a
  // A function that is there on one way only is none that anyone could call without being asked.
  const functions = a.functions === b.functions ? a.functions : undefined
  const call = a.call && b.call ? { ...a.call, locals: new Set([...a.call.locals, ...b.call.locals]) } : undefined
  return {
    folders: eitherFolders(a.folders, b.folders),
    variables: eitherVariables(a.variables, b.variables, differing),
    ...(functions && { functions }),
    ...(call && { call }),
  }
}

const mostFolders = 4

function eitherFolders(a: State["folders"], b: State["folders"]): State["folders"] {
  if (a === b) return a
  if (!a || !b) return undefined
  const all = [...new Set([...a, ...b])]
  return all.length > mostFolders ? undefined : all
}

function eitherVariables(a: State["variables"], b: State["variables"], differing: Differing): State["variables"] {
  if (a === b) return a
  const names = new Set([...a.keys(), ...b.keys()])
  return new Map(
    [...names].map((name) => {
      const [one, other] = [a.get(name), b.get(name)]
      return [name, one && isSameValue(one, other) ? one : differing(name, one, other)]
    }),
  )
}

function someValue(name: string, a: Argument | undefined, b: Argument | undefined): Argument {
  const text = `$${name}`
  if (a?.kind === "unknown" || b?.kind === "unknown" || !(isOwnName(name) || (a && b))) return unknown(text)
  const isNumber = [a, b].every((value) => value !== undefined && holdsNumber(value))
  if (!isNumber) return someText(text)
  const isSure = [a, b].every((value) => value?.kind === "exact" || value?.number === "always")
  return { ...someText(text), number: isSure ? "always" : "if any" }
}

/** Whether a value can only be a number, or nothing. */
export const holdsNumber = (value: Argument): boolean =>
  value.number !== undefined || (value.kind === "exact" && /^\d{1,15}$/.test(value.text))

function isSameValue(a: Argument | undefined, b: Argument | undefined): boolean {
  if (!a || !b) return a === b
  return (
    a.kind === b.kind &&
    a.text === b.text &&
    a.many === b.many &&
    a.number === b.number &&
    a.token === b.token &&
    a.fresh === b.fresh &&
    JSON.stringify(a.list) === JSON.stringify(b.list) &&
    a.from === b.from &&
    a.plain === b.plain &&
    a.loose === b.loose &&
    a.several === b.several &&
    JSON.stringify(a.words) === JSON.stringify(b.words) &&
    JSON.stringify(a.below) === JSON.stringify(b.below)
  )
}
