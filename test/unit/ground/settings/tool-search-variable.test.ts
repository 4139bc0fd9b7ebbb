import { expect, test } from "bun:test"
import { readEnvironment } from "#ground/settings/environment.ts"

test("whether tools are searched for goes by both names, and takes what the ecosystem writes", () => {
  const read = (env: Record<string, string>): readonly [boolean, number] => {
    const { toolSearch, warnings } = readEnvironment(env)
    return [toolSearch, warnings.length]
  }
  expect(read({})).toEqual([true, 0])
  for (const off of ["0", "false", "off", "No"]) expect(read({ ENABLE_TOOL_SEARCH: off })).toEqual([false, 0])
  for (const on of ["1", "true", "auto", "auto:5", "AUTO"]) expect(read({ ENABLE_TOOL_SEARCH: on })).toEqual([true, 0])
  for (const odd of ["auto:", "auto:x", "maybe"]) expect(read({ ENABLE_TOOL_SEARCH: odd })).toEqual([true, 1])
  expect(read({ CODEWRIGHT_TOOL_SEARCH: "0", ENABLE_TOOL_SEARCH: "true" })).toEqual([false, 0])
})
