/** What the catalogue needs from a part of a log: counts, names, costs, and searchable text. */

import type { Entry } from "#agent/words/entry.ts"
import type { AssistantBlock } from "#agent/words/message.ts"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { textOf } from "./backwards.ts"
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

/** `row`: everything but the passages, for which most lines need not be parsed. `passages`: only those. */
export type DigestOf = "row" | "passages"

export function digestLines(lines: readonly Buffer[], of: DigestOf): Digest {
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
  for (const bytes of lines) {
    if (!isWanted(bytes, of)) continue
    const line = unsealed(textOf(bytes))
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
    if (of === "passages") passages.push(...passagesIn(entry))
    else fold(entry, isObject(line.forkedFrom))
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
 * The search keys cannot occur inside a string, because their quotation marks would be escaped there. Lines of another
 * shape are parsed.
 */
function isWanted(line: Buffer, of: DigestOf): boolean {
  const kind = kindIn(line.toString("latin1", 0, 512)) ?? kindIn(line.toString("latin1", 0, 8192))
  return kind === undefined || wantedKinds[of].has(kind)
}

const kindShape =
  /"type":"(?:system","subtype":"(\w+)"|(assistant|attachment)"|(user)","message":\{"role":"user","content":(\[\{"type":"tool_result")?)/

function kindIn(beginning: string): string | undefined {
  const found = kindShape.exec(beginning)
  if (!found) return undefined
  const [, own, said, user, result] = found
  return own ?? said ?? (result === undefined ? user : "result")
}

const wantedKinds: { readonly [of in DigestOf]: ReadonlySet<string> } = {
  row: new Set(["user", "title", "model", "reply_end", "snapshot", "head"]),
  passages: new Set(["user", "assistant", "title", "shell"]),
}

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
