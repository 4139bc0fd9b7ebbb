/** What stands before the first prompt: that it does not depend on timing, what follows later, and what is not said twice. */

import { expect, test } from "bun:test"
import { notifyFollowers } from "#agent/words/follower.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { GitState } from "#kits/context/git-status.ts"
import { type UserContextPorts, userContextKit } from "#kits/context/user-context.ts"
import { attach } from "#session/turn/attach.ts"
import { systemClock } from "#lib/clock.ts"

const never = new AbortController().signal
const nothing = { files: [], rules: [], outside: [] }

const open = (given: Partial<UserContextPorts>) =>
  userContextKit({
    load: () => nothing,
    loadNested: () => nothing,
    touched: () => [],
    date: () => "2026-01-01",
    promptDate: () => "2026-01-01",
    warn: () => {},
    ...given,
  })

/** With a clock by which any patience is over at once. */
const impatient = { ...systemClock, sleep: () => Promise.resolve() }

function follow(kit: Kit, body: EntryBody): void {
  notifyFollowers([kit], { uuid: "u", parentUuid: null, at: 0, ...body })
}

async function gathered(kit: Kit): Promise<readonly string[]> {
  const told: string[] = []
  const record = (body: EntryBody): void => {
    if (body.kind === "attachment") told.push(body.text)
    follow(kit, body)
  }
  await attach([kit], { record, clock: impatient, signal: never })
  return told
}

const call: EntryBody = {
  kind: "reply",
  messageId: "m",
  model: "m",
  usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  block: { type: "tool_use", id: "t", name: "Read", input: {} },
}

test("the first request waits for git however long it takes, and is told once", async () => {
  const kit = open({ git: () => systemClock.sleep(30, never).then(() => ({ text: "Branch: main" })) })
  expect(await gathered(kit)).toEqual(["Branch: main"])
  expect(await gathered(kit)).toEqual([])
})

/** A repository whose status takes until somebody says so. */
function slow() {
  const status = Promise.withResolvers<string>()
  const state = { reads: 0 }
  const git = async (): Promise<GitState> => ({
    text: "Branch: main",
    later() {
      state.reads++
      return status.promise
    },
  })
  return { git, status, state }
}

test("a slow status is read once the model calls a tool, and told once with the request after it is there", async () => {
  const { git, status, state } = slow()
  const kit = open({ git })
  expect(await gathered(kit)).toEqual(["Branch: main"])
  expect(state.reads).toBe(0)
  follow(kit, call)
  await Promise.resolve()
  await Promise.resolve()
  expect(state.reads).toBe(1)
  expect(await gathered(kit)).toEqual([])
  status.resolve("Status: clean")
  await systemClock.sleep(1, never)
  expect(await gathered(kit)).toEqual(["Status: clean"])
  follow(kit, call)
  expect(await gathered(kit)).toEqual([])
  expect(state.reads).toBe(1)
})

test("a resumed conversation is told the status that it was promised, and replaying reads nothing", async () => {
  const { git, status, state } = slow()
  const kit = open({ git })
  follow(kit, { kind: "attachment", name: "git_status", text: "Branch: main", data: { status: "later" } })
  follow(kit, call)
  await systemClock.sleep(1, never)
  expect(state.reads).toBe(0)
  status.resolve("Status: clean")
  expect(await gathered(kit)).toEqual([])
  await systemClock.sleep(1, never)
  expect(await gathered(kit)).toEqual(["Status: clean"])
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
