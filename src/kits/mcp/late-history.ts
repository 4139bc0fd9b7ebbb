/** What a conversation has said about late tools so far: which were announced, loaded and called. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConversationFollower } from "#agent/words/follower.ts"
import type { Message, ResultContent } from "#agent/words/message.ts"
import type { JsonObject } from "#lib/json.ts"
import { callToolName } from "./call-tool.ts"
import { newsName, readNews } from "./late-news.ts"

export interface LateHistory extends ConversationFollower {
  readonly tools: () => ReadonlyMap<string, string | undefined>
  readonly guidance: () => ReadonlyMap<string, string>
  readonly referenced: () => ReadonlySet<string>
  readonly needed: () => ReadonlySet<string>
}

export function openLateHistory(): LateHistory {
  let tools = new Map<string, string | undefined>()
  let guidance = new Map<string, string>()
  let referenced = new Set<string>()
  let used = new Set<string>()
  let needed: ReadonlySet<string> = new Set()

  function foldNews(data: JsonObject): void {
    const news = readNews(data)
    for (const [name, digest] of news.tools) tools.set(name, digest)
    for (const [from, digest] of news.guidance) guidance.set(from, digest)
  }

  function use(name: string): void {
    used.delete(name)
    used.add(name)
  }

  function compact(messages: readonly Message[]): void {
    tools = new Map()
    guidance = new Map()
    needed = new Set([...[...needed].filter((name) => !used.has(name)), ...used])
    used = new Set()
    referenced = new Set(messages.flatMap(referencesOf))
  }

  function onEntry(entry: Entry): void {
    switch (entry.kind) {
      case "attachment":
        if (entry.name === newsName) foldNews(entry.data ?? {})
        return
      case "reply":
        if (entry.block.type === "tool_use") use(calledIn(entry.block))
        return
      case "result":
        for (const name of referencesIn(entry.content)) {
          referenced.add(name)
          use(name)
        }
        return
      case "compaction":
        compact(entry.messages)
        return
      default:
    }
  }

  return {
    onEntry,
    reset() {
      tools = new Map()
      guidance = new Map()
      referenced = new Set()
      used = new Set()
      needed = new Set()
    },
    tools: () => tools,
    guidance: () => guidance,
    referenced: () => referenced,
    needed: () => needed,
  }
}

/** The tool that a call is about, even through the tool that calls others. */
const calledIn = ({ name, input }: { readonly name: string; readonly input: JsonObject }): string =>
  name === callToolName && typeof input.name === "string" ? input.name : name

const referencesOf = ({ content }: Message): readonly string[] =>
  content.flatMap((block) => (block.type === "tool_result" ? referencesIn(block.content) : []))

const referencesIn = (content: ResultContent): readonly string[] =>
  typeof content === "string"
    ? []
    : content.flatMap((block) => (block.type === "tool_reference" ? [block.tool_name] : []))
