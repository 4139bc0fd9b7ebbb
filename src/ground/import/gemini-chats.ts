/** Conversations of Gemini CLI: a file each, below a folder for each project, whose path is known by its digest or by a list. */

import { createHash } from "node:crypto"
import { join } from "node:path"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ForeignConversation, ConversationItem, FoundConversation } from "./found.ts"
import { ownCall } from "./names.ts"
import {
  filesBelow,
  jsonLines,
  mostConversationBytes,
  objectAt,
  parsed,
  parsedObject,
  readText,
  textIn,
  timeIn,
} from "./read.ts"
import { namesIn } from "#lib/quietly.ts"

export function geminiConversations(folder: string, home: string): readonly FoundConversation[] {
  const projects = join(folder, "tmp")
  const paths = knownPaths(folder, home)
  return namesIn(projects).flatMap((project) => {
    const root = textOr(join(projects, project, ".project_root")) ?? paths.get(project)
    const chats = join(projects, project, "chats")
    return [...filesBelow(chats, ".json"), ...filesBelow(chats, ".jsonl")].map((path) => {
      const from = join(chats, path)
      return { id: `${project}/${path}`, from, read: () => readChat(from, root) }
    })
  })
}

const textOr = (path: string): string | undefined => {
  const text = readText(path)
  return text.ok ? text.value?.trim() : undefined
}

/** Newer versions keep a list; older ones only a digest of the path, which the folders that are trusted may explain. */
function knownPaths(folder: string, home: string): ReadonlyMap<string, string> {
  const { projects } = parsedObject(textOr(join(folder, "projects.json")) ?? "")
  const named = Object.entries(objectAt(projects)).flatMap(([path, name]): [string, string][] =>
    typeof name === "string" ? [[name, path]] : [],
  )
  const trusted = Object.keys(parsedObject(textOr(join(folder, "trustedFolders.json")) ?? ""))
  const candidates = [home, ...trusted, ...Object.keys(objectAt(projects)), ...nearby(home)]
  const hashed = candidates.map((path): [string, string] => [createHash("sha256").update(path).digest("hex"), path])
  return new Map([...hashed, ...named])
}

/** Where people keep their work: two levels below the home. */
const nearby = (home: string): readonly string[] => visible(home).flatMap((path) => [path, ...visible(path)])

const visible = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => !name.startsWith("."))
    .slice(0, 500)
    .map((name) => join(folder, name))

function readChat(from: string, root: string | undefined): Result<ForeignConversation, string> {
  const text = readText(from, mostConversationBytes)
  if (!text.ok) return text
  if (root === undefined) return failed("its folder is known only by a digest, and none of yours has it")
  const { head, messages, unreadable } = messagesIn(text.value ?? "", from)
  if (messages.length === 0) return failed("it has no messages")
  const start = timeIn(head.startTime)
  return ok({
    cwd: root,
    title: textIn(head.summary),
    items: messages.flatMap((message) => itemsIn(message, timeIn(message.timestamp) || start)),
    unreadable,
  })
}

/** One object, or in newer versions a line for each message. A message that is written again replaces the one before. */
function messagesIn(
  text: string,
  from: string,
): { readonly head: JsonObject; readonly messages: readonly JsonObject[]; readonly unreadable: number } {
  if (from.endsWith(".json")) {
    const head = parsed(text)
    const { messages } = objectAt(head)
    return {
      head: objectAt(head),
      messages: Array.isArray(messages) ? messages.map(objectAt) : [],
      unreadable: head === undefined ? 1 : 0,
    }
  }
  const { lines, unreadable } = jsonLines(text)
  const messages = new Map<string, JsonObject>()
  for (const line of lines)
    if (typeof line.type === "string") messages.set(textIn(line.id) ?? String(messages.size), line)
  return {
    head: lines.find(({ sessionId }) => sessionId !== undefined) ?? {},
    messages: [...messages.values()],
    unreadable,
  }
}

function itemsIn(
  { type, content, model: named, thoughts, toolCalls }: JsonObject,
  at: number,
): readonly ConversationItem[] {
  const text = textOf(content)
  const model = textIn(named) ?? "gemini"
  if (type === "user") return text.trim() === "" ? [] : [{ kind: "prompt", text, at }]
  if (type !== "gemini") return []
  const calls = Array.isArray(toolCalls) ? toolCalls.map(objectAt) : []
  const thinking = (Array.isArray(thoughts) ? thoughts : [])
    .map(objectAt)
    .map(({ subject, description }) => [textIn(subject), textIn(description)].filter(Boolean).join(": "))
    .filter((one) => one !== "")
    .join("\n")
  return [
    ...(thinking === "" ? [] : [{ kind: "thinking" as const, text: thinking, model, at }]),
    ...(text.trim() === "" ? [] : [{ kind: "text" as const, text, model, at }]),
    ...calls.map(({ id, name, args }): ConversationItem => ({
      kind: "call",
      id: textIn(id) ?? "",
      ...ownCall(textIn(name) ?? "", objectAt(args)),
      model,
      at,
    })),
    ...calls.map(({ id, result, resultDisplay, status }): ConversationItem => ({
      kind: "result",
      id: textIn(id) ?? "",
      text: resultText(result) ?? textIn(resultDisplay) ?? "",
      isError: status === "error" || status === "cancelled",
      at,
    })),
  ]
}

const textOf = (content: JsonValue | undefined): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : [content ?? null])
        .flatMap((part) => textIn(objectAt(part).text) ?? [])
        .join("\n")

function resultText(result: JsonValue | undefined): string | undefined {
  const texts = (Array.isArray(result) ? result : []).flatMap((part) => {
    const { response } = objectAt(objectAt(part).functionResponse)
    const { output, error } = objectAt(response)
    return textIn(output) ?? textIn(error) ?? []
  })
  return texts.length === 0 ? undefined : texts.join("\n")
}
