/** Delegate mode in the one decision function: reading and coordinating, whatever is allowed otherwise. */

import { expect, test } from "bun:test"
import { runsReading, touchesNothing, writes } from "#agent/words/footprint.ts"
import { bash, decideCase, edit, read, rulesFrom } from "./judge.ts"

const everything = rulesFrom({ allow: ["Bash", "Edit", "Write"] })
const delegate = { mode: "delegate", rules: everything } as const

test("it reads, and uses what touches nothing", () => {
  expect(read("/repo/a.ts", delegate).behavior).toBe("allow")
  expect(bash("git status", { ...delegate, footprint: runsReading("git status") }).behavior).toBe("allow")
  expect(decideCase({ tool: "TaskCreate", footprint: touchesNothing(), ...delegate }).behavior).toBe("allow")
})

test("it changes nothing itself, whatever rules and hooks say", () => {
  const hook = { name: "mine", behavior: "allow" } as const
  for (const decision of [
    edit("/repo/a.ts", delegate),
    edit("/repo/a.ts", { ...delegate, hook }),
    bash("npm test", delegate),
    bash("rm a", delegate),
    decideCase({ tool: "mcp__x__y", footprint: { ...touchesNothing(), effect: "unknown" }, ...delegate }),
  ])
    expect(decision).toMatchObject({ behavior: "deny", reason: { kind: "mode", mode: "delegate" } })
  expect(edit("/repo/a.ts", delegate).message).toBe(
    "Delegate mode is on: you coordinate, and others do the work. Edit would change a.ts. Make it a task for a teammate (TaskCreate, Task), or ask the user to leave delegate mode.",
  )
})

test("what brings the work of others together is asked about as usual", () => {
  const merge = { tool: "MergeBranch", coordinates: true, footprint: writes("/repo") } as const
  expect(decideCase({ ...merge, mode: "delegate" }).behavior).toBe("ask")
  expect(decideCase({ ...merge, mode: "delegate", rules: rulesFrom({ allow: ["MergeBranch"] }) }).behavior).toBe(
    "allow",
  )
})
