/** `jobs -x` runs the command behind it, and `jobs` alone runs nothing. */

import { expect, test } from "bun:test"
import { exactly } from "#ground/workspace/shell/argument.ts"
import { unwrap } from "#ground/workspace/shell/programs/wrappers.ts"

const words = (line: string) => unwrap(line.split(" ").map(exactly), undefined)

test.each([
  ["jobs -x touch x", ["jobs"], "touch x"],
  ["jobs -l", [], "jobs -l"],
  ["jobs", [], "jobs"],
  ["jobs %1", [], "jobs %1"],
])("%s", (line, wrappers, left) => {
  const { wrappers: off, args } = words(line)
  expect({ off, left: args.map(({ text }) => text).join(" ") }).toEqual({ off: wrappers, left })
})
