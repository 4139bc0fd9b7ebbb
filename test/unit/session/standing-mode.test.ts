/** What stands after a compaction while planning: the mode, and before it the one to go back to. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import { notifyFollowers } from "#agent/words/follower.ts"
import { openStanding } from "#session/journal/standing.ts"
import { beginningState } from "#session/journal/state.ts"

const modesAfter = (...modes: readonly (EntryBody & { kind: "mode" })["mode"][]): readonly string[] => {
  const standing = openStanding()
  for (const [i, mode] of modes.entries())
    notifyFollowers([standing], { kind: "mode", mode, uuid: `${i}`, parentUuid: null, at: 0 })
  const state = beginningState({ mode: "default", model: "m", thinking: { type: "auto" }, budget: {}, cwd: "/" })
  return standing.bodies(state).flatMap((body) => (body.kind === "mode" ? [body.mode] : []))
}

test("a mode alone, and plan mode with the one before it", () => {
  expect(modesAfter("acceptEdits")).toEqual(["acceptEdits"])
  expect(modesAfter("acceptEdits", "plan")).toEqual(["acceptEdits", "plan"])
  expect(modesAfter("default", "plan", "auto")).toEqual(["auto"])
  expect(modesAfter("plan")).toEqual(["plan"])
})

test("delegate mode keeps the mode of the agents before it", () => {
  expect(modesAfter("acceptEdits", "delegate")).toEqual(["acceptEdits", "delegate"])
  expect(modesAfter("acceptEdits", "plan", "delegate")).toEqual(["acceptEdits", "plan", "delegate"])
  expect(modesAfter("default", "delegate", "plan")).toEqual(["default", "delegate", "plan"])
  expect(modesAfter("default", "delegate", "acceptEdits")).toEqual(["acceptEdits"])
})
