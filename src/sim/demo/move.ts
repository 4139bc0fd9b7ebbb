/** What the demo does next: says something, and perhaps calls tools. */

import type { JsonObject } from "#lib/json.ts"
import type { Done, Story } from "./story.ts"

export interface DemoCall {
  readonly tool: string
  readonly input: JsonObject
}

/** Without calls the task ends. */
export interface Move {
  readonly say: string
  readonly calls: readonly DemoCall[]
}

/** A value that is either known, or found out by this move. */
export type DemoStep<T> = { readonly kind: "known"; readonly value: T } | { readonly kind: "move"; readonly move: Move }

export const known = <T>(value: T): DemoStep<T> => ({ kind: "known", value })
export const toMove = (move: Move): DemoStep<never> => ({ kind: "move", move })
export const act = (say: string, ...calls: readonly DemoCall[]): Move => ({ say, calls })

export const aboutMe =
  "This is the built-in simulator, which follows fixed rules. To use a real model: /login, or set ANTHROPIC_API_KEY."

/** The end of a task, successful or not, with a note about the simulator. */
export const finish = (say: string): Move => act(`${say}\n\n${aboutMe}`)

/** The last result of such a call in this task, if it was made. */
export function outcomeOf({ done }: Pick<Story, "done">, { tool, input }: DemoCall): Done | undefined {
  const wanted = JSON.stringify(input)
  return done.findLast((made) => made.tool === tool && JSON.stringify(made.input) === wanted)
}

/**
 * A command that ran and failed reports its exit code; any other failure means that the call itself was not carried
 * out.
 */
export const wasCarriedOut = (done: Done): boolean =>
  !isUnfinished(done) && (!done.failed || /^\s*Exit code \d+/.test(done.result))

/** A background command has not reported yet how it ends. */
const isUnfinished = ({ result }: Done): boolean =>
  /^(?:The user moved this command to|Started in) the background/.test(result)

/** Says that a call was not carried out, why, and what would allow it; `follows` is what may come next. */
export function stopAt(done: Done, follows = ""): Move {
  const { tool, input, result } = done
  if (isUnfinished(done))
    return finish(`\`${String(input.command)}\` is still running in the background, so I do not know the result yet.`)
  const what =
    tool === "Bash"
      ? `run \`${String(input.command)}\``
      : `use ${tool} on ${String(input.file_path ?? input.path ?? "this")}`
  const why = result.trim().split("\n", 3).join("\n> ")
  return finish(
    `I could not ${what}, so I stopped. The answer was:\n\n> ${why}\n\n` +
      `To allow it, start with \`${flagFor(tool, input)}${follows}\`, or say yes when asked.`,
  )
}

function flagFor(tool: string, { command }: JsonObject): string {
  if (tool === "Bash") return `--allowed-tools "Bash(${String(command)})"`
  return tool === "Edit" ? editFlag : `--allowed-tools ${tool}`
}

export const editFlag = "--permission-mode acceptEdits"

export const missing = (tool: string, why: string): Move =>
  finish(`I need the ${tool} tool to ${why}, and it is not offered here.`)
