/** The answers to a plan keep their places: a habit of the fingers must never approve more than was meant. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { planChoices, planLabel } from "#faces/view/consent.ts"

const labels = (...modes: readonly PermissionMode[]): readonly string[] =>
  planChoices({ kind: "plan", callId: "c", plan: "", path: "", modes, wishes: [] }).map(planLabel)

test("the first three never change places, whatever mode planning began in", () => {
  const usual = ["Yes, and accept edits", "Yes, and ask before each edit", "No, tell the model what to change"]
  expect(labels("default", "acceptEdits")).toEqual(usual)
  expect(labels("acceptEdits", "default")).toEqual(usual)
  expect(labels("bypassPermissions", "default", "acceptEdits")).toEqual([...usual, "Yes, and bypass permissions"])
})

test("the order of the offered modes makes no difference", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...permissionModes]), (modes) => {
      expect(labels(...modes)).toEqual(labels(...modes.toSorted()))
    }),
  )
})
