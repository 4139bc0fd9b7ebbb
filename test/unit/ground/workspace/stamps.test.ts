import { expect, test } from "bun:test"
import { type FileStamp, isSurelyUnchanged, openStamps } from "#ground/workspace/stamps.ts"

const stamp = (text: string, more: Partial<FileStamp> = {}): FileStamp => ({
  identity: { device: 1n, inode: 2n, bytes: text.length, modifiedNs: 0n, changedNs: 0n },
  hash: 1n,
  text,
  shown: { offset: 1, limit: undefined },
  at: 1_000_000,
  ...more,
})

test("the least recently used goes first when there are too many", () => {
  const stamps = openStamps({ entries: 2, bytes: 1000 })
  stamps.put("a", stamp("a"))
  stamps.put("b", stamp("b"))
  stamps.get("a")
  stamps.put("c", stamp("c"))
  expect(stamps.entries().map(([path]) => path)).toEqual(["a", "c"])
})

test("texts are counted in bytes, and one that is too large is kept by its hash only", () => {
  const stamps = openStamps({ entries: 100, bytes: 10 })
  stamps.put("a", stamp("123456"))
  stamps.put("b", stamp("123456"))
  expect(stamps.entries().map(([path]) => path)).toEqual(["b"])
  stamps.put("c", stamp("12345678901"))
  expect(stamps.get("c")).toMatchObject({ hash: 1n, text: undefined })
  expect(stamps.get("b")).toBeDefined()
})

test("what was shown can be forgotten while the state stays known", () => {
  const stamps = openStamps()
  stamps.put("a", stamp("a"))
  stamps.forgetShown()
  expect(stamps.get("a")).toMatchObject({ hash: 1n, shown: undefined })
  stamps.forget("a")
  expect(stamps.get("a")).toBeUndefined()
})

test("a stamp can be renewed without counting as a use, and only where there is one", () => {
  const stamps = openStamps({ entries: 2, bytes: 10 })
  stamps.put("a", stamp("a"))
  stamps.put("b", stamp("b"))
  stamps.renew("a", stamp("new", { hash: 2n }))
  stamps.renew("c", stamp("c"))
  expect(stamps.entries().map(([path, { text, hash }]) => [path, text, hash])).toEqual([
    ["a", "new", 2n],
    ["b", "b", 1n],
  ])
  // Texts that grew are counted.
  stamps.renew("b", stamp("12345678"))
  expect(stamps.entries().map(([path]) => path)).toEqual(["b"])
  stamps.renew("b", stamp("12345678901"))
  expect(stamps.get("b")).toMatchObject({ hash: 1n, text: undefined })
})

test("a state is trusted unread only if every mark is equal and it was old when looked at", () => {
  const one = stamp("a")
  expect(isSurelyUnchanged(one, one.identity)).toBe(true)
  expect(isSurelyUnchanged(one, { ...one.identity, inode: 3n })).toBe(false)
  expect(isSurelyUnchanged(one, { ...one.identity, changedNs: 1n })).toBe(false)
  expect(isSurelyUnchanged({ ...one, at: 10 }, one.identity)).toBe(false)
})
