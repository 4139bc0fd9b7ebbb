/** A conversation as the parts of a document: what was said, what was done and what came of it, each once and in order. */

import type { Display } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import { textOf, type ToolUseBlock } from "#agent/words/message.ts"
import { endWords } from "#faces/view/lines.ts"
import { feedbackWords, reviewWords } from "#faces/view/turning-points.ts"

export type DocumentPart =
  | { readonly kind: "prompt"; readonly text: string; readonly at: number }
  | { readonly kind: "answer"; readonly text: string; readonly at: number }
  | { readonly kind: "thinking"; readonly text: string; readonly at: number }
  | CallPart
  | { readonly kind: "notice"; readonly text: string; readonly at: number }

export interface CallPart {
  readonly kind: "call"
  readonly tool: string
  readonly title: string
  readonly input: string
  readonly outcome: "done" | "failed" | "denied" | "unanswered"
  readonly text: string
  readonly display: Display | undefined
  readonly at: number
}

/** `path` starts at the beginning of the conversation. */
export function partsOf(path: readonly Entry[], isAfterGap: (index: number) => boolean): readonly DocumentPart[] {
  const results = new Map<string, Entry & { kind: "result" }>()
  const titles = new Map<string, string>()
  const cutOff = new Set<string>()
  for (const entry of path) {
    if (entry.kind === "result" && !results.has(entry.callId)) results.set(entry.callId, entry)
    if (entry.kind === "intent") titles.set(entry.callId, entry.title)
    if (entry.kind === "orphan") cutOff.add(entry.messageId)
  }
  return path.flatMap((entry, index): DocumentPart[] => {
    const { at } = entry
    const gap: DocumentPart[] = isAfterGap(index)
      ? [{ kind: "notice", text: "Part of the conversation is missing here.", at }]
      : []
    return [...gap, ...own(entry)]
  })

  function own(entry: Entry): DocumentPart[] {
    const { at } = entry
    const notice = (text: string): DocumentPart[] => [{ kind: "notice", text, at }]
    switch (entry.kind) {
      case "prompt":
        return [{ kind: "prompt", text: entry.command?.typed ?? withMedia(entry), at }]
      case "command":
        return [{ kind: "prompt", text: entry.typed, at }, ...(entry.isError ? [] : notice(entry.text))]
      case "reply":
        if (cutOff.has(entry.messageId)) return []
        if (entry.block.type === "text") return [{ kind: "answer", text: entry.block.text, at }]
        if (entry.block.type === "thinking") return [{ kind: "thinking", text: entry.block.thinking, at }]
        return entry.block.type === "tool_use" ? [call(entry.block, at)] : []
      case "shell":
        return [
          {
            kind: "call",
            tool: "!",
            title: `! ${entry.command}`,
            input: entry.command,
            outcome: entry.exitCode === 0 ? "done" : "failed",
            text: entry.output,
            display: undefined,
            at,
          },
        ]
      case "compaction":
        return notice(`The conversation was compacted here. Summary:\n${entry.summary}`)
      case "review": {
        const text = reviewWords(entry)
        return text === "" ? [] : notice(text)
      }
      case "feedback":
        return notice(feedbackWords(entry))
      case "notice":
        return notice(entry.text)
      case "attachment":
        return typeof entry.data?.["shown"] === "string" ? notice(entry.data["shown"]) : []
      case "turn_end":
        return entry.reason === "completed" ? [] : notice(entry.message ?? endWords[entry.reason])
      default:
        return []
    }
  }

  function call({ id, name, input }: ToolUseBlock, at: number): CallPart {
    const result = results.get(id)
    const first = Object.values(input).find((value) => typeof value === "string") ?? ""
    return {
      kind: "call",
      tool: name,
      title: titles.get(id) ?? `${name} ${first.split("\n", 1)[0] ?? ""}`.trim(),
      input: JSON.stringify(input, null, 2),
      outcome: result === undefined ? "unanswered" : result.denied ? "denied" : result.isError ? "failed" : "done",
      text: result ? textOf(result.content) : "",
      display: result?.display,
      at,
    }
  }
}

/** Pictures and documents are replaced by their type. */
const withMedia = ({ content }: Entry & { kind: "prompt" }): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")
