/** When the look of a file proves that it is unchanged, and when it proves nothing. */

import { expect, test } from "bun:test"
import type { Stats } from "node:fs"
import { isSame, isSameStamp, type PathState, stampOf } from "#ground/snapshots/state.ts"

const stats = (times: { readonly mtimeMs: number; readonly ctimeMs: number }): Stats =>
  ({ size: 3, ino: 7, dev: 1, ...times }) as Stats

test("a stamp proves something only when it was old at the time of the look", () => {
  const at = { mtimeMs: 5000.5, ctimeMs: 5000.5 }
  expect(stampOf(stats(at), 5050).settled).toBe(false)
  expect(stampOf(stats(at), 5101).settled).toBe(true)
  // A clock that was set back must not make a young file old.
  expect(stampOf(stats(at), 4000).settled).toBe(false)
})

test("a file system that counts in seconds hides changes for longer", () => {
  const at = { mtimeMs: 5000, ctimeMs: 5000 }
  expect(stampOf(stats(at), 6000).settled).toBe(false)
  expect(stampOf(stats(at), 7600).settled).toBe(true)
})

test("a time that was set back is betrayed by the time of the change", () => {
  const one = stampOf(stats({ mtimeMs: 1000, ctimeMs: 5000.5 }), 9000)
  expect(isSameStamp(one, stampOf(stats({ mtimeMs: 1000, ctimeMs: 6000.5 }), 9000))).toBe(false)
  expect(isSameStamp(one, stampOf(stats({ mtimeMs: 1000, ctimeMs: 5000.5 }), 9500))).toBe(true)
})

test("states are the same to who reads them, whatever their times", () => {
  const stamp = stampOf(stats({ mtimeMs: 1, ctimeMs: 1 }), 9000)
  const later = stampOf(stats({ mtimeMs: 2, ctimeMs: 2 }), 9000)
  const file: PathState = { kind: "file", mode: 0o644, hash: "a", stamp }
  expect(isSame(file, { ...file, stamp: later })).toBe(true)
  expect(isSame(file, { ...file, mode: 0o600 })).toBe(false)
  expect(isSame(file, { ...file, hash: "b" })).toBe(false)
  expect(isSame(file, { kind: "absent" })).toBe(false)
  expect(isSame({ kind: "link", target: "x", stamp }, { kind: "link", target: "x", stamp: later })).toBe(true)
  expect(isSame({ kind: "uncovered", why: "w", stamp }, { kind: "uncovered", why: "w", stamp: later })).toBe(false)
})
