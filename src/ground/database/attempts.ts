/** Which errors of Postgres mean "again", and which mean that the server is gone. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseFull, DatabaseLost } from "#lib/database.ts"
import type { Ids } from "#lib/ids.ts"

/** A transaction that keeps losing is a mistake of ours, or the server is far too busy. */
const mostAttempts = 30
const longestPauseMs = 200

export interface AttemptPorts {
  readonly clock: Clock
  readonly ids: Ids
}

/** Runs it again when it lost against another transaction, after pauses that grow and differ. */
export async function withAttempts<T>(run: () => Promise<T>, { clock, ids }: AttemptPorts): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!lostAgainstAnother(error) || attempt === mostAttempts) throw error
      await clock.sleep(ids.random() * Math.min(longestPauseMs, 2 ** attempt), new AbortController().signal)
    }
  }
}

const diskFull = "53100"
const tooManyConnections = "53300"

export const isCrowded = (error: unknown): boolean => stateOf(error) === tooManyConnections

/** Another version has added a column since the connection prepared the statement, which it refuses from then on. */
export const isOutdated = (error: unknown): boolean =>
  stateOf(error) === "0A000" && error instanceof Error && error.message.includes("cached plan")

/** Serialization failure, deadlock, or against the upgrade of a table. */
const lostAgainstAnother = (error: unknown): boolean => ["40001", "40P01"].includes(stateOf(error)) || isOutdated(error)

export function asLost(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseLost) return error
  if (stateOf(error) === diskFull) return new DatabaseFull(error)
  return isGone(error) ? new DatabaseLost(error.message, { cause: error }) : error
}

/** Connection exceptions, a server that shuts down, starts up, is full or has waited too long for us, and what the client says of a broken connection. */
function isGone(error: Error): boolean {
  const code = "code" in error ? String(error.code) : ""
  return (
    /^(08|53|57P0[1235]|25P0[34])/.test(stateOf(error)) ||
    /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|EPIPE)/.test(code)
  )
}

/** The five characters that Postgres gives each kind of error. */
function stateOf(error: unknown): string {
  if (!(error instanceof Error)) return ""
  const candidates = ["errno" in error ? String(error.errno) : "", "code" in error ? String(error.code) : ""]
  return candidates.find((text) => /^[0-9A-Z]{5}$/.test(text)) ?? ""
}
