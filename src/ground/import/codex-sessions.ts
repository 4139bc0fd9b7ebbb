/** Conversations of Codex: one file of lines each, below folders for years, months and days. */

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
  parsedObject,
  readText,
  textIn,
  timeIn,
} from "./read.ts"

export const codexConversations = (folder: string): readonly FoundConversation[] =>
  ["sessions", "archived_sessions"].flatMap((below) =>
    filesBelow(join(folder, below), ".jsonl").flatMap((path) => {
      const [, id] = /rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(path) ?? []
      const from = join(folder, below, path)
      return id === undefined ? [] : [{ id, from, read: () => readRollout(from) }]
    }),
  )

function readRollout(from: string): Result<ForeignConversation, string> {
  const text = readText(from, mostConversationBytes)
  if (!text.ok) return text
  const { lines, unreadable } = jsonLines(text.value ?? "")
  const items: ConversationItem[] = []
  let cwd: string | undefined
  let model = "codex"
  let at = 0
  for (const line of lines) {
    at = timeIn(line.timestamp) || at
    const payload = objectAt(line.payload)
    switch (line.type) {
      case "session_meta":
      case "turn_context":
        cwd ??= textIn(payload.cwd)
        model = textIn(payload.model) ?? model
        break
      case "response_item":
        items.push(...itemsIn(payload, at, model))
        break
      default:
        // Files of the first versions have no envelope.
        if (line.payload === undefined) items.push(...itemsIn(line, at, model))
        cwd ??= folderIn(line)
    }
  }
  if (cwd === undefined) return failed("it does not say in which folder it took place")
  return ok({ cwd, items, unreadable })
}

function itemsIn(item: JsonObject, at: number, model: string): readonly ConversationItem[] {
  const { type, role, content, call_id } = item
  const id = textIn(call_id) ?? textIn(item.id) ?? ""
  switch (type) {
    case "message": {
      const text = textOfBlocks(content)
      if (text.trim() === "") return []
      if (role === "assistant") return [{ kind: "text", text, model, at }]
      return role === "user" && !isAdded(text) ? [{ kind: "prompt", text, at }] : []
    }
    case "reasoning": {
      const text = textOfBlocks(item.summary)
      return text === "" ? [] : [{ kind: "thinking", text, model, at }]
    }
    case "function_call":
      return [
        {
          kind: "call",
          id,
          ...ownCall(textIn(item.name) ?? "", parsedObject(textIn(item.arguments) ?? "")),
          model,
          at,
        },
      ]
    case "custom_tool_call":
      return [{ kind: "call", id, ...ownCall(textIn(item.name) ?? "", { input: textIn(item.input) ?? "" }), model, at }]
    case "local_shell_call":
      return [{ kind: "call", id, ...ownCall("local_shell", objectAt(item.action)), model, at }]
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return [{ kind: "result", id, ...outputOf(item.output), at }]
    default:
      return []
  }
}

const textOfBlocks = (blocks: JsonValue | undefined): string =>
  typeof blocks === "string"
    ? blocks
    : Array.isArray(blocks)
      ? blocks.flatMap((block) => textIn(objectAt(block).text) ?? []).join("\n")
      : ""

/** What the program says to the model in the user's place. */
const isAdded = (text: string): boolean =>
  /^\s*(<(environment_context|user_instructions|turn_aborted|permissions|skill|INSTRUCTIONS)\b|# AGENTS\.md instructions)/.test(
    text,
  )

/** Plain text, JSON around it, or blocks, by version. */
function outputOf(output: JsonValue | undefined): { readonly text: string; readonly isError: boolean } {
  const raw = textIn(output)
  const { output: inner, metadata, content, success } = raw === undefined ? objectAt(output) : parsedObject(raw)
  const code = objectAt(metadata).exit_code
  return {
    text: textIn(inner) ?? textIn(content) ?? raw ?? (textOfBlocks(output) || textOfBlocks(content)),
    isError: success === false || (typeof code === "number" && code !== 0),
  }
}

const folderIn = ({ content }: JsonObject): string | undefined => /<cwd>([^<]+)<\/cwd>/.exec(textOfBlocks(content))?.[1]
