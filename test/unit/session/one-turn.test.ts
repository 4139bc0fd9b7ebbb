/** One turn: what it records, and when it is over. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { LogFailure } from "#ground/transcript/log.ts"
import { deferred } from "#lib/deferred.ts"
import { seededIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import type { LiveAgent } from "#session/turn/agent.ts"
import { openOneTurn } from "#session/turn/one-turn.ts"
import { openTurns } from "#session/turn/turns.ts"

test("it is over when its last entry is on the disk", async () => {
  const happened: string[] = []
  const synced = deferred<Result<void, LogFailure>>()
  const journal = {
    record: (body: EntryBody) => void happened.push(body.kind),
    recover: () => {},
    failure: () => undefined,
    sync: () => {
      happened.push("sync")
      return synced.promise
    },
  }
  const turn = openOneTurn({
    turns: openTurns(),
    journal: journal as never,
    agent: {} as LiveAgent,
    ids: seededIds(1),
  })
  const { turnId } = turn.begin()
  const over = turn.end(turnId, { reason: "completed" }).then(() => happened.push("over"))
  await Bun.sleep(1)
  expect(happened).toEqual(["turn_start", "turn_end", "sync"])
  synced.resolve(ok(undefined))
  await over
  expect(happened.at(-1)).toBe("over")
})
