/** The conversation as the demo reads it: the task, and what was done so far. Nothing else is remembered. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { resultText, type SimMessage, type SimRequest } from "#sim/request.ts"

export interface Done {
  readonly tool: string
  readonly input: JsonObject
  readonly result: string
  readonly failed: boolean
}

export interface Story {
  readonly task: string
  readonly done: readonly Done[]
  readonly everDone: readonly Done[]
  readonly offers: (tool: string) => boolean
  /** The task is already answered, and since then only the program added something. */
  readonly isAnswered: boolean
  /** Where the plan belongs, while plan mode is on. */
  readonly planFile: { readonly path: string; readonly exists: boolean } | undefined
}

export function readStory({ messages, tools }: SimRequest): Story {
  const start = messages.findLastIndex((message) => isTask(wordsIn(message)))
  return {
    task: start === -1 ? "" : wordsIn(messages[start]),
    done: doneIn(messages.slice(start + 1)),
    everDone: doneIn(messages),
    offers: (tool) => tools.includes(tool),
    isAnswered: isAnswered(messages),
    planFile: planFileIn(messages),
  }
}

function isAnswered(messages: readonly SimMessage[]): boolean {
  const [before, last] = messages.slice(-2)
  if (before?.role !== "assistant" || before.content.some(({ type }) => type === "tool_use")) return false
  const isNote = ({ type, text }: JsonObject): boolean =>
    type === "text" && typeof text === "string" && text.startsWith("<system-reminder>") && !/\bcut off\b/.test(text)
  return last?.role === "user" && last.content.every(isNote)
}

/** What the user wrote in a message, without reminders from the program. */
function wordsIn(message: SimMessage | undefined): string {
  if (message?.role !== "user") return ""
  return resultText(message.content)
    .replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")
    .trim()
}

/** What the reminders last said about plan mode: only the program's own words count. */
function planFileIn(messages: readonly SimMessage[]): Story["planFile"] {
  let file: Story["planFile"]
  for (const { role, content } of messages) {
    if (role !== "user") continue
    const text = content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\n")
    for (const [, words = ""] of text.matchAll(/<system-reminder>\s*([\s\S]*?)<\/system-reminder>/g)) {
      if (/^Plan mode is off\b/.test(words)) file = undefined
      const [, path, exists] = /^Plan mode is on\b[\s\S]*?\bplan file is (\S.*?\.md)\. It (exists)?/.exec(words) ?? []
      if (path !== undefined) file = { path, exists: exists !== undefined }
    }
  }
  return file
}

/** Being told to continue is not a new task. */
const isTask = (words: string): boolean =>
  words !== "" && !/^(please\s+)?(continue|go on|carry on|proceed)\b/i.test(words) && !/\bcut off\b/i.test(words)

function doneIn(messages: readonly SimMessage[]): readonly Done[] {
  const calls = new Map<string, { readonly tool: string; readonly input: JsonObject }>()
  const done: Done[] = []
  for (const { content } of messages)
    for (const block of content) {
      const { type, id, name, input, tool_use_id } = block
      if (type === "tool_use") calls.set(String(id), { tool: String(name), input: isObject(input) ? input : {} })
      const call = type === "tool_result" ? calls.get(String(tool_use_id)) : undefined
      const made = call && { ...call, result: resultText(block.content), failed: block.is_error === true }
      if (made && !neverBegan(made)) done.push(made)
    }
  return done
}

/** A call that was cut off or held back has no result: it may simply be made again. */
const neverBegan = ({ failed, result }: Done): boolean =>
  failed && /^(not run:|not counted:|interrupted)|\bbroke off\b/i.test(result.trim())
