/** Named pipes, made by the system's call and by the program that stands in for it. */

import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import { openFifoMaker } from "#ground/workspace/processes/fifos.ts"
import { systemLibrary } from "#ground/workspace/processes/system-library.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test.each([
  ["the system's call", systemLibrary()],
  ["the program, where the library has another name", "libnowhere.so"],
])("%s makes pipes that only their owner may use", (_how, library) => {
  using folder = temporaryFolder()
  const { make } = openFifoMaker(library)
  const paths = [folder.join("a"), folder.join("ö 2")]
  expect(make(paths)).toBe(true)
  for (const path of paths) {
    const stats = statSync(path)
    expect(stats.isFIFO()).toBe(true)
    expect(stats.mode & 0o777).toBe(0o600)
  }
  expect(make(paths)).toBe(false)
  expect(make([folder.join("missing", "a")])).toBe(false)
})
