/** Conversations about files that are told what to do in plain words, and whether a change in one passed that the conversation had no right to. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { calls, edit, read, says } from "./script.ts"

export const knownFiles = { "a.txt": "one end\n", "b.txt": "two end\n" }

/** Does what the last prompt says: `read a.txt`, `edit a.txt`; to anything else it just answers. */
export const obeys: ScenarioFunction = ({ messages }) => {
  const last = messages.at(-1)?.content ?? []
  if (last.some(({ type }) => type === "tool_result")) return says("Done.")
  const words = last.flatMap(({ text }) => (typeof text === "string" ? [/^(read|edit) (\w\.txt)$/.exec(text)] : []))
  const [, wish, file = ""] = words.findLast((match) => match !== null) ?? []
  if (wish === "read") return calls(read(file))
  return wish === "edit" ? calls(edit(file, "end", "more end")) : says("Seen.")
}

export interface Edits {
  readonly passed: number
  readonly refused: number
  /** Files that a conversation changed without having read them. */
  readonly unread: readonly string[]
}

/** Of all requests: each says what its conversation has seen and done. */
export function editsIn(requests: readonly { readonly body: unknown }[]): Edits {
  const edits = new Map<string, { readonly isError: boolean; readonly unread?: string }>()
  for (const { body } of requests) {
    const known = new Set<string>()
    const asked = new Map<string, { readonly tool: string; readonly file: string }>()
    for (const block of blocksOf(body)) {
      const { type, id, name, input, tool_use_id: of, text } = block
      if (type === "text") for (const file of mentioned(text)) known.add(file)
      if (type === "tool_use") asked.set(String(id), { tool: String(name), file: fileIn(input) })
      const call = type === "tool_result" ? asked.get(String(of)) : undefined
      if (!call) continue
      const isError = block["is_error"] === true
      const isUnread = call.tool === "Edit" && !isError && !known.has(call.file)
      if (call.tool === "Edit") edits.set(String(of), { isError, ...(isUnread && { unread: call.file }) })
      // That it is unchanged since an earlier read shows nothing of it.
      if (!isError && !JSON.stringify(block["content"]).includes("is unchanged since")) known.add(call.file)
    }
  }
  const all = [...edits.values()]
  return {
    passed: all.filter(({ isError }) => !isError).length,
    refused: all.filter(({ isError }) => isError).length,
    unread: all.flatMap(({ unread }) => unread ?? []),
  }
}

const blocksOf = (body: unknown): readonly JsonObject[] => {
  const { messages } = body as { readonly messages?: readonly { readonly content: JsonValue }[] }
  return (messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []))
}

const fileIn = (input: JsonValue | undefined): string =>
  isObject(input) && typeof input["file_path"] === "string" ? input["file_path"] : ""

const mentioned = (text: JsonValue | undefined): readonly string[] =>
  [...String(text).matchAll(/mentioned (\w\.txt); this is what Read/g)].map(([, file = ""]) => file)
