/** What a hook said about a call before a resume counts for that very call, and for no other. */

import { expect, test } from "bun:test"
import type { ConfiguredHook } from "#kits/hooks/config.ts"
import { nothing } from "#kits/hooks/meaning.ts"
import { openHookMemory, saidOf } from "#kits/hooks/memory.ts"
import type { HookMoment } from "#kits/hooks/moments.ts"

const hook = {
  matcher: "",
  work: { type: "command", command: "check", interpreter: "sh" },
} as unknown as ConfiguredHook
const moment = (command: string, cwd: string, callId = "c"): HookMoment =>
  ({ event: "PreToolUse", fields: {}, cwd, call: { callId, tool: { name: "Bash" }, input: { command } } }) as never

const allowed = { ...nothing, verdict: "allow" } as const

function remembering(late: boolean) {
  const memory = openHookMemory()
  const said = saidOf(hook, moment("make", "/repo"), allowed)
  memory.onEntry({ kind: "hook", callId: "c", said, ...(late && { late }) } as never)
  return (of: HookMoment) => memory.recall(hook, of)
}

test("the same call with the same input in the same folder is not asked about again", () => {
  expect(remembering(false)(moment("make", "/repo"))).toEqual(allowed)
})

test("another input, another folder, or another call is", () => {
  const recall = remembering(false)
  expect(recall(moment("make install", "/repo"))).toBeUndefined()
  expect(recall(moment("make", "/elsewhere"))).toBeUndefined()
  expect(recall(moment("make", "/repo", "d"))).toBeUndefined()
})

test("one that nobody waited for has run, and had nothing to decide", () => {
  expect(remembering(true)(moment("make", "/repo"))).toEqual(nothing)
})
