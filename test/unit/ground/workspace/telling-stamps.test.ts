/** When time stamps are believed to tell of every later change. */

import { expect, test } from "bun:test"
import { statSync, writeFileSync } from "node:fs"
import { type Identity, identityOf } from "#ground/workspace/identity.ts"
import { willTell } from "#ground/workspace/telling-stamps.ts"
import { systemClock } from "#lib/clock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const identity = (path: string): Identity => identityOf(statSync(path, { bigint: true }))

test("those of what has just changed are not, whatever the next two seconds bring", () => {
  using top = temporaryFolder()
  const file = top.join("a")
  writeFileSync(file, "")
  const seen = identity(file)
  const changedAt = Number(seen.changedNs / 1_000_000n)
  expect([0, 500, 2000].map((later) => willTell(file, seen, changedAt + later))).toEqual([false, false, false])
  // A clock that was set back is no proof either.
  expect(willTell(file, seen, changedAt - 60_000)).toBe(false)
  expect(willTell(file, seen, changedAt + 60_000)).toBe(process.platform === "linux")
})

test("those of what the kernel makes up are not", () => {
  const path = process.platform === "linux" ? "/proc/self" : "/dev"
  expect(willTell(path, identity(path), systemClock.now() + 60_000)).toBe(false)
})
