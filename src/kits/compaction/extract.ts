/** A summary without a model: what was done and said, quoted from the conversation. The user's prompts are carried beside it. */

import { type Message, textOf } from "#agent/words/message.ts"
import { actWords } from "./act.ts"
import { type Pair, pairsIn } from "./cut.ts"

const mostActs = 80
const mostFiles = 60
const mostErrors = 8
const mostSaid = 12
const errorCharacters = 300
const saidCharacters = 600
const lastCharacters = 4_000

const changing: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"])

/** At most about `mostCharacters`; drops the oldest first. */
export function extract(messages: readonly Message[], mostCharacters: number): string {
  const pairs = pairsIn(messages)
  const said = messages.flatMap((message) => {
    const text = message.role === "assistant" ? textOf(message.content).trim() : ""
    return text === "" ? [] : [text]
  })
  const parts = [
    section("What you said last", last(said.slice(-1), lastCharacters)),
    section("Files you changed, newest last", changedFiles(pairs)),
    section("Calls you made, newest last", pairs.slice(-mostActs).map(act)),
    section("Errors you met, newest last", errors(pairs)),
    section("What you said before", last(said.slice(-mostSaid - 1, -1), saidCharacters)),
  ]
  const kept: string[] = []
  let room = mostCharacters
  for (const part of parts) {
    if (part.length > room) kept.push(part.slice(0, Math.max(0, room)).toWellFormed())
    else kept.push(part)
    room -= part.length
    if (room <= 0) break
  }
  return kept.filter((part) => part.trim() !== "").join("\n\n")
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`

const act = ({ use, result }: Pair): string => `- ${actWords(use)}${result.is_error === true ? " (failed)" : ""}`

function changedFiles(pairs: readonly Pair[]): readonly string[] {
  const paths = pairs.flatMap(({ use, result }) => {
    const path = use.input.file_path ?? use.input.notebook_path
    return changing.has(use.name) && result.is_error !== true && typeof path === "string" ? [path] : []
  })
  // The last mention counts.
  const once = [...new Set(paths.toReversed())].toReversed()
  return once.slice(-mostFiles).map((path) => `- ${path}`)
}

const errors = (pairs: readonly Pair[]): readonly string[] =>
  pairs
    .filter(({ result }) => result.is_error === true)
    .slice(-mostErrors)
    .map(({ use, result }) => `- ${actWords(use)}: ${short(textOf(result.content), errorCharacters)}`)

const last = (texts: readonly string[], most: number): readonly string[] => texts.map((text) => short(text, most))

const short = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()} […]` : text
