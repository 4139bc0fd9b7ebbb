/** What stands before the first prompt: how long the first request waits for git, and what is not said twice. */

import { expect, test } from "bun:test"
import { notifyFollowers } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import { type UserContextPorts, userContextKit } from "#kits/context/user-context.ts"
import { systemClock } from "#lib/clock.ts"

const never = new AbortController().signal
const nothing = { files: [], rules: [], outside: [] }

const open = (given: Partial<UserContextPorts>) =>
  userContextKit({
    load: () => nothing,
    loadNested: () => nothing,
    touched: () => [],
    patienceMs: 60_000,
    date: () => "2026-01-01",
    promptDate: () => "2026-01-01",
    warn: () => {},
    clock: systemClock,
    ...given,
  })

async function gathered(kit: Kit): Promise<readonly string[]> {
  const brought = (await kit.attachments?.(never)) ?? []
  for (const { name, text } of brought)
    notifyFollowers([kit], { kind: "attachment", name, text, uuid: "u", parentUuid: null, at: 0 })
  return brought.map(({ text }) => text)
}

test("the first request waits for git as long as it may, and is told at once when that is done", async () => {
  const kit = open({ git: () => systemClock.sleep(30, never).then(() => "Branch: main") })
  expect(await gathered(kit)).toEqual(["Branch: main"])
  expect(await gathered(kit)).toEqual([])
})

test("what comes later is told with the request after it, and once", async () => {
  const git = Promise.withResolvers<string>()
  const kit = open({ git: () => git.promise, patienceMs: 1 })
  expect(await gathered(kit)).toEqual([])
  git.resolve("Branch: main")
  await git.promise
  expect(await gathered(kit)).toEqual(["Branch: main"])
  expect(await gathered(kit)).toEqual([])
})

test("a git that fails is done without", async () => {
  expect(await gathered(open({ git: () => Promise.reject(new Error("no git")) }))).toEqual([])
})

test("what it gave is known by its name, and says which files it tells of", async () => {
  const file = { path: "/p/AGENTS.md", real: "/p/AGENTS.md", text: "Rule.", from: "project" } as const
  const kit = open({ load: () => ({ ...nothing, files: [file] }) })
  const [text = ""] = await gathered(kit)
  const given = { name: "user_context", text, data: { files: ["/p/AGENTS.md"] } }
  expect(await kit.texts(never)).toEqual([given])
  expect(kit.isGiven(given.name)).toBe(true)
  expect(kit.isGiven("todo_reminder")).toBe(false)
})
