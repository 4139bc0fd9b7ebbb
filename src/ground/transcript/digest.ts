/** What the catalogue needs from a part of a log: counts, names, costs, and searchable text. */

import type { Entry } from "#agent/words/entry.ts"
import type { AssistantBlock } from "#agent/words/message.ts"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { decodeEntry } from "./line.ts"
import { unsealed } from "./seal.ts"

export type FoundKind = "title" | "prompt" | "answer" | "command" | "file"

export interface Passage {
  readonly uuid: string
  readonly at: number
  readonly kind: FoundKind
  readonly text: string
}

export interface DaySpent {
  readonly day: string
  readonly model: string
  readonly requests: number
  readonly usage: Usage
  readonly costUsd: number
}

export interface Digest {
  readonly cwd: string | undefined
  readonly parent: string | undefined
  readonly branch: string | undefined
  readonly title: string | undefined
  readonly firstPrompt: string | undefined
  readonly model: string | undefined
  readonly firstAt: number | undefined
  readonly messages: number
  readonly prompts: number
  readonly spent: readonly DaySpent[]
  readonly passages: readonly Passage[]
  /** File snapshots that the session may go back to. */
  readonly snapshots: readonly string[]
}

/** Longer ones are found by how they start. */
const longestPassage = 20_000

export function digestLines(lines: readonly string[]): Digest {
  const spent = new Map<string, DaySpent>()
  const passages: Passage[] = []
  const snapshots: string[] = []
  const digest = {
    cwd: undefined as string | undefined,
    parent: undefined as string | undefined,
    branch: undefined as string | undefined,
    title: undefined as string | undefined,
    firstPrompt: undefined as string | undefined,
    model: undefined as string | undefined,
    firstAt: undefined as number | undefined,
    messages: 0,
    prompts: 0,
  }
  for (const text of lines) {
    if (!isWanted(text)) continue
    const line = unsealed(text)
    if (!line) continue
    if (line.type === "header") {
      digest.cwd ??= textIn(line.cwd)
      digest.parent ??= textIn(line.parentSession)
      continue
    }
    digest.cwd ??= textIn(line.cwd)
    digest.branch = textIn(line.gitBranch) ?? digest.branch
    const entry = decodeEntry(line)
    if (!entry) continue
    digest.firstAt ??= entry.at
    passages.push(...passagesIn(entry))
    fold(entry, isObject(line.forkedFrom))
  }
  return { ...digest, spent: [...spent.values()], passages, snapshots }

  function fold(entry: Entry, isCopy: boolean): void {
    switch (entry.kind) {
      case "prompt":
        digest.prompts++
        digest.messages++
        digest.firstPrompt ??= clipped(saidText(entry), 500)
        return
      case "title":
        digest.title = entry.text
        return
      case "model":
        digest.model = entry.model
        return
      case "snapshot":
        snapshots.push(entry.snapshotId)
        return
      case "head":
        if (entry.files) snapshots.push(entry.files.from, entry.files.to)
        return
      case "reply_end": {
        digest.messages++
        digest.model = entry.model
        // What a fork copied was paid for in the session it came from.
        if (isCopy) return
        const day = dayOf(entry.at)
        const key = `${day} ${entry.model}`
        const before = spent.get(key) ?? { day, model: entry.model, requests: 0, usage: noUsage, costUsd: 0 }
        spent.set(key, {
          ...before,
          requests: before.requests + 1,
          usage: addUsage(before.usage, entry.usage),
          costUsd: before.costUsd + (entry.costUsd ?? 0),
        })
        return
      }
      default:
        return
    }
  }
}

/**
 * Results are most of a log and none of them is needed, nor are most of our own kinds, so they are not even parsed.
 * The search keys cannot occur inside a string, because their quotation marks would be escaped there.
 */
function isWanted(text: string): boolean {
  const beginning = text.slice(0, 4096)
  if (beginning.includes('"type":"user","message":{"role":"user","content":[{"type":"tool_result"')) return false
  const own = /"type":"system","subtype":"(\w+)"/.exec(beginning)?.[1]
  return own === undefined || wantedKinds.has(own)
}

const wantedKinds: ReadonlySet<string> = new Set<Entry["kind"]>([
  "title",
  "model",
  "reply_end",
  "shell",
  "snapshot",
  "head",
])

function passagesIn(entry: Entry): Passage[] {
  const passage = (kind: FoundKind, text: string): Passage[] =>
    text.trim() === "" ? [] : [{ uuid: entry.uuid, at: entry.at, kind, text: clipped(text, longestPassage) }]
  switch (entry.kind) {
    case "prompt":
      return passage("prompt", saidText(entry))
    case "title":
      return passage("title", entry.text)
    case "shell":
      return passage("command", entry.command)
    case "reply":
      return blockPassages(entry.block, passage)
    default:
      return []
  }
}

function blockPassages(block: AssistantBlock, passage: (kind: FoundKind, text: string) => Passage[]): Passage[] {
  if (block.type === "text") return passage("answer", block.text)
  if (block.type !== "tool_use") return []
  const { input }: { readonly input: JsonObject } = block
  const command = textIn(input.command)
  const paths = [input.file_path, input.notebook_path, input.path].flatMap((value) => textIn(value) ?? [])
  return [...passage("command", command ?? ""), ...paths.flatMap((path) => passage("file", path))]
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const clipped = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most))

/** In local time. */
function dayOf(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
