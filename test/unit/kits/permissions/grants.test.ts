/** Rules that a person gives while they are asked: where they count, and when they count for nothing. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Grant } from "#agent/words/permission.ts"
import { openGrants } from "#kits/permissions/grants.ts"
import { ruleText } from "#kits/permissions/rules/rule.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { rulesFrom } from "./judge.ts"

/** What is recorded comes back, as in a session. */
function open(save?: (grant: Grant) => Result<void, string>) {
  const settings = rulesFrom({ deny: ["Read(.env)"] })
  const recorded: EntryBody[] = []
  const grants = openGrants({
    rules: () => settings,
    record(body) {
      recorded.push(body)
      if (body.kind === "grant") grants.apply(body)
    },
    ...(save && { save }),
  })
  return { grants, recorded, rules: () => grants.rules().map((rule) => `${rule.behavior} ${ruleText(rule)}`) }
}

const forSession: Grant = { rule: "Bash(make:*)", destination: "session" }
const forGood: Grant = { rule: "Bash(make:*)", destination: "local settings" }

test("a rule for the session counts, comes from the log, and is written nowhere", () => {
  const saved: Grant[] = []
  const { grants, recorded, rules } = open((grant) => ok(void saved.push(grant)))
  grants.remember(forSession)
  expect(rules()).toEqual(["deny Read(.env)", "allow Bash(make:*)"])
  expect(recorded).toEqual([{ kind: "grant", ...forSession }])
  expect(saved).toEqual([])
})

test("a rule for good is written, counts at once, and once", () => {
  const saved: Grant[] = []
  const { grants, rules } = open((grant) => ok(void saved.push(grant)))
  grants.remember(forGood)
  expect(rules()).toEqual(["deny Read(.env)", "allow Bash(make:*)"])
  expect(saved).toEqual([forGood])
})

test("one of an earlier process that was written to a file counts by that file alone", () => {
  const { grants, rules } = open(() => ok(undefined))
  grants.apply(forGood)
  expect(rules()).toEqual(["deny Read(.env)"])
})

test("a rule of the log that denies is no grant", () => {
  const { grants, rules } = open(() => ok(undefined))
  grants.apply({ ...forSession, behavior: "deny" })
  expect(rules()).toEqual(["deny Read(.env)"])
})

test("one that cannot be written counts for the session, and the person is told", () => {
  const { grants, recorded, rules } = open(() => failed("The disk is full."))
  grants.remember(forGood)
  expect(rules()).toContain("allow Bash(make:*)")
  expect(recorded.at(-1)).toMatchObject({ kind: "notice", level: "warning", text: expect.stringContaining("disk") })
})

test("what is no rule counts for nothing", () => {
  for (const destination of ["session", "local settings"] as const) {
    const { grants, recorded, rules } = open(() => ok(undefined))
    grants.remember({ rule: "Bash(", destination })
    expect(rules()).toEqual(["deny Read(.env)"])
    expect(recorded).toMatchObject([{ kind: "notice", level: "warning" }])
  }
})

test("where only the managed policy's rules count, no answer adds one", () => {
  const { grants, recorded, rules } = open()
  for (const grant of [forSession, forGood]) grants.remember(grant)
  expect(rules()).toEqual(["deny Read(.env)"])
  expect(recorded.map(({ kind }) => kind)).toEqual(["notice", "notice"])
  expect(grants.destinations).toEqual([])
})
