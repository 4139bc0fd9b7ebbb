/** Commits the changes, as /commit asks: the files it names, and a message in the style of the last ones. */

import { act, type DemoCall, finish, missing, type Move, outcomeOf, stopAt, wasCarriedOut } from "./move.ts"
import type { Story } from "./story.ts"

export const commandInTask = (task: string): string | undefined =>
  /^The user gave the command \/([\w:-]+)/.exec(task)?.[1]

export function commit(story: Story): Move {
  if (!story.offers("Bash")) return missing("Bash", "commit")
  const [status = "", , , log = ""] = outputsIn(story.task)
  const files = changedIn(status)
  const left = files.filter(isSecret)
  const wanted = files.filter((file) => !isSecret(file))
  if (wanted.length === 0) return finish("There is nothing to commit.")
  const add: DemoCall = { tool: "Bash", input: { command: `git add -- ${wanted.map(quoted).join(" ")}` } }
  const added = outcomeOf(story, add)
  if (!added)
    return act(`${counted(wanted.length)} changed; I add ${wanted.length === 1 ? "it" : "them"} by name.`, add)
  if (!wasCarriedOut(added) || added.failed) return stopAt(added)
  const message = messageFor(wanted, log)
  const trailer = /^Co-Authored-By: .+$/m.exec(story.task)?.[0]
  const words = [message, ...(trailer === undefined ? [] : [trailer])].map((part) => `-m ${quoted(part)}`).join(" ")
  const make: DemoCall = { tool: "Bash", input: { command: `git commit ${words}` } }
  const made = outcomeOf(story, make)
  if (!made) return act(`The message, as the last ones are written: \`${message}\``, make)
  if (!wasCarriedOut(made) || made.failed) return stopAt(made)
  const hash = /^\[[^\]]*?([0-9a-f]{7,})\]/m.exec(made.result)?.[1] ?? "the commit"
  const rest = left.length === 0 ? "" : ` I left out ${left.join(", ")}, which may hold secrets.`
  return finish(`Committed ${hash}: ${message}.${rest}`)
}

/** What the command ran before the prompt was sent, in order. */
const outputsIn = (task: string): readonly string[] =>
  [...task.matchAll(/<command-output>([\s\S]*?)<\/command-output>/g)].map(([, text = ""]) => text)

/** The paths in a short status: only the staged ones, if there are any. */
function changedIn(status: string): readonly string[] {
  const rows = [...status.matchAll(/^(?!##)([ MADRCU?])([ MADRCU?]) (.+)$/gm)]
  const staged = rows.filter(([, index = " "]) => /[MADRC]/.test(index))
  return (staged.length > 0 ? staged : rows).map(([, , , path = ""]) =>
    path.replace(/^.* -> /, "").replace(/^"(.*)"$/, "$1"),
  )
}

const isSecret = (path: string): boolean => /(^|\/)(\.env[^/]*|id_[a-z0-9]+|[^/]*\.(pem|key))$/.test(path)

/** By rules: the names of the files, with a prefix if the last messages have one. */
function messageFor(files: readonly string[], log: string): string {
  const [first = ""] = files
  const what =
    files.length === 1
      ? first
      : `${counted(files.length)} in ${first.includes("/") ? first.split("/")[0] : "the project"}`
  const hasPrefix = /^[0-9a-f]{7,} (feat|fix|chore|docs|refactor|test)(\([^)]*\))?: /m.test(log)
  return hasPrefix ? `chore: update ${what}` : `Update ${what}`
}

const counted = (count: number): string => (count === 1 ? "1 file" : `${count} files`)
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
