import { expect, test } from "bun:test"
import { ignoresCase } from "#ground/workspace/letter-case.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("a name whose other spelling is the same file tells of a file system that ignores case", () => {
  const folding = (path: string): string | undefined => (/^\/vol/i.test(path) ? path.toLowerCase() : undefined)
  expect(ignoresCase("/Vol/Project/not-yet", folding)).toBe(true)
  expect(ignoresCase("/vol/123/456", folding)).toBe(true)
})

test("two files, or none by the other spelling, tell of one that does not", () => {
  const there = new Set(["/data", "/data/Project", "/data/pROJECT"])
  const exact = (path: string): string | undefined => (there.has(path) ? path : undefined)
  expect(ignoresCase("/data/Project", exact)).toBe(false)
  expect(ignoresCase("/data/Project/missing", exact)).toBe(false)
  expect(ignoresCase("/", exact)).toBe(false)
  expect(ignoresCase("/1/2", exact)).toBe(false)
})

test.skipIf(process.platform !== "linux")("the disk of this machine keeps case apart", () => {
  using folder = temporaryFolder()
  expect(ignoresCase(folder.join("Nothing"))).toBe(false)
})
