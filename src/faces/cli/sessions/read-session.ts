/** A session that is only looked at: its facts, its whole log, and the conversation in it. */

import type { Entry } from "#agent/words/entry.ts"
import type { SessionRow } from "#ground/transcript/catalog.ts"
import type { LoadFailure } from "#ground/transcript/load.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { openStoredLog, type StoredLog } from "#ground/transcript/stored-log.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { money, minute } from "./session-line.ts"
import { pickSession } from "./pick-session.ts"
import type { Where } from "#faces/cli/where.ts"

export interface ReadSession {
  readonly row: SessionRow
  /** The texts of results are read when they are wanted. */
  readonly entries: readonly Entry[]
  readonly path: readonly Entry[]
  readonly notes: readonly string[]
}

export async function readSession(prefix: string | undefined, where: Where): Promise<Result<ReadSession, string>> {
  const stored = await openStored(prefix, where)
  if (!stored.ok) return stored
  const { row, log } = stored.value
  const entries = log.list()
  return ok({ row, entries, path: pathOf(entries), notes: log.notes })
}

/** For those who look at one entry after the other: a log of any size takes little memory. */
export interface StoredSession {
  readonly row: SessionRow
  readonly log: StoredLog
}

export async function openStored(prefix: string | undefined, where: Where): Promise<Result<StoredSession, string>> {
  const picked = await pickSession(prefix, where)
  if (!picked.ok) return picked
  const log = openStoredLog(picked.value.path)
  return log.ok ? ok({ row: picked.value, log: log.value }) : failed(unreadWords(log.failure))
}

const unreadWords = (failure: LoadFailure): string =>
  failure.kind === "newer"
    ? `The session was written by a newer Codewright (format ${failure.format}). Update to read it.`
    : `The session cannot be read: ${failure.message}`

export function factsOf(row: SessionRow): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    ["session", row.id],
    ["folder", row.cwd],
    ["branch", row.branch],
    ["model", row.model],
    ["started", row.created === 0 ? "" : minute(row.created)],
    ["changed", minute(row.changed)],
    ["messages", String(row.messages)],
    ["tokens", row.tokens.toLocaleString("en-US")],
    ["cost", money(row.costUsd)],
    ["forked from", row.parent ?? ""],
  ]
  return facts.filter(([, value]) => value !== "")
}
