/** Functions: stored when defined, and followed with their arguments when called. */

import type { Command, Function as ShellFunction } from "unbash"
import { type Argument, exactly } from "./argument.ts"
import { evaluators } from "./names.ts"
import type { Reading } from "./reading.ts"
import { walkRedirects } from "./redirects.ts"
import type { Flow, State } from "./state.ts"
import { files } from "./tables/files.ts"
import { readerNamed } from "./tables/readers.ts"
import { isWrapper } from "./programs/wrappers.ts"

const deepest = 4
const mostArguments = 9

/** Builtins that no table knows, and that must not be redefined. */
const builtins: ReadonlySet<string> = new Set(
  "bg cd dirs disown exit export fg kill logout popd pushd set shift suspend test times trap".split(" "),
)

/** The body is analysed when the function is called. */
export function defined(node: ShellFunction, state: State, reading: Reading): State {
  const { text } = node.name
  const isFree =
    /^[A-Za-z_]\w*$/.test(text) &&
    readerNamed(text) === undefined &&
    !Object.hasOwn(files, text) &&
    !evaluators.has(text) &&
    !builtins.has(text) &&
    !isWrapper(text)
  const head = reading.source.slice(node.pos, node.body.pos)
  if (!isFree) reading.doubt(`a function takes the name ${text}`)
  if (
    !new RegExp(
      `^(?:function\\s+${RegExp.escape(text)}\\s*(?:\\(\\s*\\))?|${RegExp.escape(text)}\\s*\\(\\s*\\))\\s*$`,
    ).test(head)
  )
    reading.doubt("a function is not read whole")
  if (node.body.type !== "BraceGroup" || node.body.end !== node.end) {
    reading.doubt("a function is more than a group of commands")
    reading.salvage(node)
    return state
  }
  return { ...state, functions: new Map(state.functions).set(text, node) }
}

/** Undefined when the words call no function. */
export function functionCall(
  command: Command,
  [name, ...args]: readonly Argument[],
  state: State,
  reading: Reading,
): Flow | undefined {
  const called = name?.kind === "exact" ? state.functions?.get(name.text) : undefined
  if (!called || called.body.type === "CompoundList") return undefined
  const depth = (state.call?.depth ?? 0) + 1
  if (command.prefix.length > 0) reading.doubt("a variable is set for a function")
  if (args.length > mostArguments || args.some(({ many, kind }) => many || kind === "unknown" || kind === "pipe"))
    reading.doubt("nobody can say what a function is given")
  if (depth > deepest || !reading.mayRepeat()) {
    reading.doubt("functions call each other too often to be followed")
    return { succeeded: state, failed: state }
  }
  walkRedirects(command.redirects, state, reading)
  const { fed: _fed, ...before } = state
  const variables = new Map(state.variables)
  for (let i = 1; i <= mostArguments; i++) variables.set(String(i), args[i - 1] ?? exactly(""))
  const flow = reading.body(called.body, { ...before, variables, call: { args, locals: new Set(), depth } })
  return { succeeded: behind(flow.succeeded, state), failed: behind(flow.failed, state) }
}

function behind(after: State | undefined, before: State): State | undefined {
  if (!after) return undefined
  const own = [...(after.call?.locals ?? []), ...Array.from({ length: mostArguments }, (_, i) => String(i + 1))]
  const variables = new Map(after.variables)
  for (const name of own) {
    const value = before.variables.get(name)
    if (value) variables.set(name, value)
    else variables.delete(name)
  }
  const { call: _call, ...rest } = after
  return { ...rest, variables, ...(before.call && { call: before.call }), ...(before.fed && { fed: before.fed }) }
}
