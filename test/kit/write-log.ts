/** A log on disk from bodies alone: each entry follows the one before, heads send elsewhere. */

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { encodeEntry, type Origin } from "#ground/transcript/line.ts"
import { headerLine } from "#ground/transcript/log.ts"

const origin: Origin = { sessionId: "s", cwd: "/w", version: "0", gitBranch: "topic", entrypoint: "cli" }

/** Entries with uuids `u0`, `u1` and so on, a second apart. */
export function entriesOf(bodies: readonly EntryBody[], from: number = Date.parse("2026-03-04T12:00:00Z")): Entry[] {
  let tip: string | null = null
  return bodies.map((body, index): Entry => {
    const uuid = `u${index}`
    const before = index === 0 ? null : `u${index - 1}`
    const entry: Entry = { ...body, uuid, parentUuid: body.kind === "head" ? before : tip, at: from + index * 1000 }
    tip = body.kind === "head" ? body.to : uuid
    return entry
  })
}

export function writeLog(path: string, entries: readonly Entry[], more: Partial<Origin> = {}): string {
  const place = { ...origin, ...more }
  const text = [headerLine(place), ...entries.map((entry) => encodeEntry(entry, place))].join("\n")
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${text}\n`)
  return path
}

export const saidBy = (text: string): EntryBody => ({
  kind: "prompt",
  promptId: `p ${text}`,
  content: [{ type: "text", text }],
})

export const answered = (text: string, messageId = `m ${text}`): EntryBody => ({
  kind: "reply",
  messageId,
  model: "claude-opus-5-5",
  usage: noUsage,
  block: { type: "text", text },
})

export const called = (id: string, name: string, input: Readonly<Record<string, string>>): EntryBody => ({
  kind: "reply",
  messageId: `m ${id}`,
  model: "claude-opus-5-5",
  usage: noUsage,
  block: { type: "tool_use", id, name, input },
})

export const paid = (costUsd: number, model = "claude-opus-5-5"): EntryBody => ({
  kind: "reply_end",
  messageId: "m",
  model,
  stopReason: "end_turn",
  usage: { ...noUsage, input_tokens: 100, output_tokens: 20 },
  costUsd,
  durationMs: 1,
})
