/** What a hook says about a call, among everything else that decides. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { reads, runs, writes } from "#agent/words/footprint.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { type Case, decideCase, rulesFrom } from "./judge.ts"

const allow = { behavior: "allow", name: "guard" } as const
const ask = { behavior: "ask", name: "guard", reason: "look at it" } as const

const bash = (command: string): Case => ({ tool: "Bash", input: { command }, footprint: runs(command) })
const edit = (path: string): Case => ({ tool: "Edit", input: { file_path: path }, footprint: writes(path) })

const calls: readonly Case[] = [
  bash("npm test"),
  bash("ls"),
  bash("rm -rf /"),
  bash("git push --force"),
  bash("git status && touch x"),
  edit("/repo/a.ts"),
  edit("/repo/.git/config"),
  edit("/repo/.env"),
  edit("/etc/passwd"),
  { tool: "Read", input: { file_path: "/etc/hosts" }, footprint: reads("/etc/hosts") },
]
const texts = ["Bash", "Bash(npm:*)", "Bash(git:*)", "Edit", "Edit(a.ts)", "Edit(/**)", "Read(//etc/**)"] as const
const lists = fc.record({
  allow: fc.subarray([...texts]),
  ask: fc.subarray([...texts], { maxLength: 2 }),
  deny: fc.subarray([...texts], { maxLength: 2 }),
})
const cases = fc
  .tuple(fc.constantFrom(...calls), fc.constantFrom(...permissionModes), lists)
  .map(([call, mode, rules]): Case => ({ ...call, mode, rules: rulesFrom(rules) }))

test("an allow only answers what nothing else decides: no denial, no rule and no check gives way to it", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const without = decideCase(given)
      const hooked = decideCase({ ...given, hook: allow })
      const isDontAsk = without.reason.kind === "mode" && without.reason.mode === "dontAsk"
      if (without.behavior === "allow") expect(hooked.behavior).toBe("allow")
      else if (without.behavior === "ask" && without.reason.kind === "default")
        expect(hooked).toMatchObject({ behavior: "allow", reason: { kind: "hook", name: "guard" } })
      else if (isDontAsk) {
        const open = decideCase({ ...given, mode: "default" })
        expect(hooked.behavior).toBe(open.reason.kind === "default" ? "allow" : "deny")
      } else expect(hooked).toEqual(without)
    }),
    { numRuns: 500 },
  )
})

test("an ask lets nothing pass that would not have been asked or denied anyway", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const without = decideCase(given)
      const asked = decideCase({ ...given, hook: ask })
      expect(asked.behavior).toBe(without.behavior === "deny" || given.mode === "dontAsk" ? "deny" : "ask")
    }),
    { numRuns: 500 },
  )
})

test("the person reads who asks and why", () => {
  expect(decideCase({ ...bash("ls"), hook: ask })).toMatchObject({
    behavior: "ask",
    message: "The hook guard wants a question before Bash runs. look at it",
  })
  expect(decideCase({ ...bash("npm test"), hook: allow }).trace.at(-1)).toBe(
    "hooks that allow: allow, by the hook guard",
  )
})
