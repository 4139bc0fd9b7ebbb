/** What a shell has changed on its way: the folder it stands in and the variables it set. */

import { type Argument, unknown } from "./argument.ts"
import type { Listing } from "./listing.ts"

export interface State {
  /** Every folder the shell may stand in now; undefined when nobody can tell. */
  readonly folders: readonly string[] | undefined
  readonly variables: ReadonlyMap<string, Argument>
  /** What a loop in a pipeline is fed line by line, when that is a list of files. */
  readonly fed?: Listing
}

/** What a command leaves behind when it succeeds and when it fails; undefined when it never comes to that. */
export interface Flow {
  readonly succeeded: State | undefined
  readonly failed: State | undefined
}

export const always = (state: State): Flow => ({ succeeded: state, failed: state })

/** Either of two: kept as it is when they are the same, so that a change can be seen by identity. */
export function either(a: State | undefined, b: State | undefined): State | undefined {
  if (a === undefined || a === b) return b
  if (b === undefined) return a
  return { folders: eitherFolders(a.folders, b.folders), variables: eitherVariables(a.variables, b.variables) }
}

export function withVariable(state: State, name: string, value: Argument): State {
  return { ...state, variables: new Map(state.variables).set(name, value) }
}

/** The same where something else comes in: what an outer loop is fed does not reach it. */
export function unfed(state: State): State {
  if (!state.fed) return state
  const { fed: _fed, ...rest } = state
  return rest
}

const mostFolders = 4

function eitherFolders(a: State["folders"], b: State["folders"]): State["folders"] {
  if (a === b) return a
  if (!a || !b) return undefined
  const all = [...new Set([...a, ...b])]
  return all.length > mostFolders ? undefined : all
}

function eitherVariables(a: State["variables"], b: State["variables"]): State["variables"] {
  if (a === b) return a
  const names = new Set([...a.keys(), ...b.keys()])
  return new Map([...names].map((name) => [name, sameValue(a.get(name), b.get(name)) ?? unknown(`$${name}`)]))
}

function sameValue(a: Argument | undefined, b: Argument | undefined): Argument | undefined {
  return a && b && a.kind === b.kind && a.text === b.text && a.many === b.many ? a : undefined
}
