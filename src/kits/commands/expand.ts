/** Expands a command: its text with the arguments, and with the output of the shell commands in it. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { trailerMark, trailerWords } from "./builtin/commit.ts"
import { partsOfBody } from "./body.ts"
import { argumentWords, filled, openPlaceholders, usesArguments, type Values, variablesOf } from "./placeholders.ts"
import { shellText } from "./shell-text.ts"

export interface ExpandPorts {
  /** Runs a shell command of the text like one from the model; `refused`: why it did not run. */
  readonly run: (command: string, within: string, signal: AbortSignal) => Promise<CommandOutput>
  /** Whether the project's commands may run anything, or include files. */
  readonly trusted: boolean
  /** In a trusted folder, whether a project's definition is the one the user trusted; all are when absent. */
  readonly believes?: (definition: CommandDefinition) => boolean
  readonly project: string
  readonly session: string
  /** What is said about trailers in a commit, where that depends on who wrote the change. */
  readonly trailer?: (signal: AbortSignal) => Promise<string>
}

export type CommandOutput = { readonly kind: "output" | "refused"; readonly text: string }

const noTrailer = trailerWords(undefined)
const changedSince = "It is new or changed since the user trusted this folder."
const mostCommands = 20
const mostCharacters = 20_000
const mostCharactersInAll = 80_000

/** `within` is the prompt or the call that it is expanded for. */
export interface ExpandAsk {
  readonly definition: CommandDefinition
  readonly args: string
  /** Of the arguments, the part that a person typed; all when absent. */
  readonly typedArgs?: string
  readonly within: string
}

/** The full text, and the part that its author and the user wrote: without command output and piped input, which are data. */
export interface Expansion {
  readonly text: string
  readonly meant: string
}

export async function expand(
  { definition, args, typedArgs = args, within }: ExpandAsk,
  ports: ExpandPorts,
  signal: AbortSignal,
): Promise<Expansion> {
  const isForeign = !isBelieved(definition, ports)
  const written = isForeign ? withoutMentions(definition.body) : definition.body
  const isByShare = definition.source === "built-in" && written.includes(trailerMark)
  const body = isByShare ? written.replace(trailerMark, (await ports.trailer?.(signal)) ?? noTrailer) : written
  const split = openPlaceholders(body, definition)
  const values: Values = {
    args,
    words: argumentWords(args),
    variables: variablesOf({ ...definition, project: ports.project, session: ports.session }),
  }
  const typedValues: Values = { ...values, args: typedArgs, words: argumentWords(typedArgs) }
  let left = mostCharactersInAll
  let count = 0
  let isUsed = false
  const said: string[] = []
  const meant: string[] = []

  async function outputOf(command: string): Promise<string> {
    if (isForeign) return notRun(command, ports.trusted ? changedSince : "It came with a folder that is not trusted.")
    if (++count > mostCommands) return notRun(command, `A command's text may run at most ${mostCommands} commands.`)
    const pieces = split(command, "kept")
    isUsed ||= usesArguments(pieces, values)
    const whole = shellText(pieces, values)
    if (!whole.ok) return notRun(command, whole.failure)
    if (signal.aborted) return notRun(command, "It was interrupted.")
    const ran = await ports.run(whole.value, within, signal)
    if (ran.kind === "refused") return notRun(whole.value, ran.text)
    const text = boundedTo(Math.min(mostCharacters, left), ran.text)
    left = Math.max(0, left - text.length)
    return framed(text)
  }

  for (const part of partsOfBody(body)) {
    if (part.kind === "run") {
      said.push(await outputOf(part.command))
      continue
    }
    const pieces = split(part.text)
    isUsed ||= usesArguments(pieces, values)
    said.push(escapeImitations(filled(pieces, values)))
    meant.push(escapeImitations(filled(pieces, typedValues)))
  }
  const withArgs = (text: string, words: string): string =>
    isUsed || words === "" ? text.trim() : `${text.trim()}\n\nARGUMENTS: ${words}`
  return { text: withArgs(said.join(""), args), meant: withArgs(meant.join(""), typedArgs) }
}

/** Whether a project's command may run and allow things. Others always may. */
export const isBelieved = (
  definition: CommandDefinition,
  { trusted, believes }: Pick<ExpandPorts, "trusted" | "believes">,
): boolean => definition.source !== "project" || (trusted && (believes?.(definition) ?? true))

/** Text from others, in which no mention includes a file. */
export const withoutMentions = (text: string): string => text.replace(mention, "\\@")

/** The same pattern as for mentions in a prompt. */
const mention = /(?<![^\s([{"'`,;])@(?=\S)/g

/** Output is data: it can neither close its frame nor imitate the program. */
export const framed = (text: string): string =>
  `<command-output>${text.includes("\n") ? `\n${escaped(text)}\n` : escaped(text)}</command-output>`

const escaped = (text: string): string => escapeImitations(text).replace(/<(\/?)(command-output)/gi, "&lt;$1$2")

const notRun = (command: string, why: string): string =>
  `[Not run: ${escaped(command).replaceAll("\n", " ")}. ${escaped(why.replace(/^Not run: /, "").trim())}]`

function boundedTo(most: number, output: string): string {
  const text = output.trim()
  if (text.length <= most) return text === "" ? "(no output)" : text
  return headAndTail(text, text, most, `[cut: of ${text.length} characters]`)
}
