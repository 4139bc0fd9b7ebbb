/** Conversations of Claude Code. Everything else of it is read where it is. */

import { join } from "node:path"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import {
  type ForeignConversation,
  type ConversationItem,
  type FoundSetup,
  type FoundConversation,
  type ImportPlaces,
  nothingFound,
} from "./found.ts"
import { jsonLines, mostConversationBytes, objectAt, readText, textIn, timeIn } from "./read.ts"
import { namesIn } from "#lib/quietly.ts"

export function findClaude({ home, from }: ImportPlaces): FoundSetup {
  const folder = from ?? join(home, ".claude")
  return {
    ...nothingFound,
    conversations: conversationsIn(join(folder, "projects")),
    skipped: [
      {
        what: "settings, rules, hooks, MCP servers, commands, agents, skills, CLAUDE.md",
        why: "Codewright reads them where they are",
      },
      { what: "trust and approvals", why: "they are not copied. Run codewright trust in a folder" },
    ],
  }
}

const conversationsIn = (projects: string): readonly FoundConversation[] =>
  namesIn(projects).flatMap((project) =>
    namesIn(join(projects, project)).flatMap((name) => {
      const [, id] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name) ?? []
      const from = join(projects, project, name)
      return id === undefined ? [] : [{ id, from, read: () => readTranscript(from) }]
    }),
  )

function readTranscript(from: string): Result<ForeignConversation, string> {
  const text = readText(from, mostConversationBytes)
  if (!text.ok) return text
  const { lines, unreadable } = jsonLines(text.value ?? "")
  const said = lines.filter(
    ({ type, isSidechain }) => (type === "user" || type === "assistant") && isSidechain !== true,
  )
  const path = pathIn(lines, said.at(-1))
  const cwd = said.map((line) => textIn(line.cwd)).find((folder) => folder !== undefined)
  if (cwd === undefined) return failed("it has no messages")
  const titles = lines.flatMap(({ type, summary, title, customTitle, aiTitle }) =>
    ["summary", "ai-title", "custom-title"].includes(textIn(type) ?? "")
      ? (textIn(customTitle) ?? textIn(title) ?? textIn(aiTitle) ?? textIn(summary) ?? [])
      : [],
  )
  const items = said.filter((line) => path.has(textIn(line.uuid) ?? "")).flatMap(itemsIn)
  return ok({ cwd, title: titles.at(-1), items, unreadable })
}

/** The branch that ends with the last message; a summary in between continues what came before. */
function pathIn(lines: readonly JsonObject[], last: JsonObject | undefined): ReadonlySet<string> {
  const parents = new Map(
    lines.flatMap(({ uuid, parentUuid, logicalParentUuid }): [string, string | undefined][] =>
      typeof uuid === "string" ? [[uuid, textIn(parentUuid) ?? textIn(logicalParentUuid)]] : [],
    ),
  )
  const path = new Set<string>()
  for (let at = textIn(last?.uuid); at !== undefined && !path.has(at); at = parents.get(at)) path.add(at)
  return path
}

function itemsIn({ type, message, isMeta, isCompactSummary, timestamp }: JsonObject): readonly ConversationItem[] {
  const at = timeIn(timestamp)
  const { content, model: named } = objectAt(message)
  const model = textIn(named) ?? "claude"
  const blocks: readonly JsonValue[] =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []
  return blocks.map(objectAt).flatMap((block): readonly ConversationItem[] => {
    const text = textIn(block.text) ?? textIn(block.thinking) ?? ""
    switch (block.type) {
      case "text":
        if (type === "assistant") return text.trim() === "" ? [] : [{ kind: "text", text, model, at }]
        return isMeta === true || isCompactSummary === true || text.trim() === "" || isAdded(text)
          ? []
          : [{ kind: "prompt", text, at }]
      case "thinking":
        return text.trim() === "" ? [] : [{ kind: "thinking", text, model, at }]
      case "tool_use":
        return [
          {
            kind: "call",
            id: textIn(block.id) ?? "",
            tool: textIn(block.name) ?? "tool",
            input: objectAt(block.input),
            model,
            at,
          },
        ]
      case "tool_result":
        return [
          {
            kind: "result",
            id: textIn(block.tool_use_id) ?? "",
            text: resultText(block.content),
            isError: block.is_error === true,
            at,
          },
        ]
      default:
        return []
    }
  })
}

/** What commands of the program leave in the user's place. */
const isAdded = (text: string): boolean =>
  /^\s*<(command-name|command-message|local-command|system-reminder|bash-)/.test(text)

const resultText = (content: JsonValue | undefined): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.flatMap((block) => textIn(objectAt(block).text) ?? []).join("\n")
      : ""
