import { expect, test } from "bun:test"
import { openPageCache } from "#ground/web/page-cache.ts"
import { heldClock } from "./local-site.ts"

const page = (text: string): { readonly text: string } => ({ text })

test("the oldest go when there are too many, or too much", () => {
  const cache = openPageCache(heldClock(), { milliseconds: 1000, entries: 2, characters: 10 })
  for (const name of ["a", "b", "c"]) cache.put(page(name), name)
  expect(["a", "b", "c"].map((name) => cache.get(name)?.text)).toEqual([undefined, "b", "c"])
  cache.put(page("123456789"), "d")
  expect(["b", "c", "d"].map((name) => cache.get(name)?.text)).toEqual([undefined, "c", "123456789"])
  cache.put(page("12345678901"), "e")
  expect(["c", "d", "e"].map((name) => cache.get(name))).toEqual([undefined, undefined, undefined])
})

test("a page that is put again is young again, and counted once", () => {
  const clock = heldClock()
  const cache = openPageCache(clock, { milliseconds: 1000, entries: 5, characters: 10 })
  cache.put(page("12345"), "a")
  clock.advance(900)
  cache.put(page("54321"), "a", "a")
  cache.put(page("12345"), "b")
  clock.advance(900)
  expect(cache.get("a")?.text).toBe("54321")
  clock.advance(100)
  expect([cache.get("a"), cache.get("b")]).toEqual([undefined, undefined])
})
