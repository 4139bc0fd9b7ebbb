/** Tools that join the others: as the same value as long as they are the same, whoever has none. */

import { expect, test } from "bun:test"
import type { AnyTool } from "#agent/words/tool.ts"
import { joinedTools } from "#session/request/joined.ts"

const tool = (name: string): AnyTool => ({ name }) as AnyTool

test("the same value until a list is another one, even where a list is missing", () => {
  let team: readonly AnyTool[] = []
  const gates: readonly AnyTool[] = [tool("ConfirmTask"), tool("Hidden")]
  const all = joinedTools([() => team, undefined, () => gates], ({ name }) => name !== "Hidden")
  const first = all()
  expect(first.map(({ name }) => name)).toEqual(["ConfirmTask"])
  expect(all()).toBe(first)
  team = [tool("TeamTask")]
  const second = all()
  expect(second.map(({ name }) => name)).toEqual(["TeamTask", "ConfirmTask"])
  expect(all()).toBe(second)
  const none = joinedTools([undefined], () => true)
  expect(none()).toBe(none())
})
