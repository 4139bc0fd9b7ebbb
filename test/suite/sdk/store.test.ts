/** Sessions in a store of the program: every line is told to it, and a session is resumed from there alone. */

import { expect } from "bun:test"
import { join } from "node:path"
import { heard, openWorld, resultOf, type World, withBoth } from "./drive.ts"

interface Key {
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string
}
interface Line {
  readonly type: string
  readonly uuid?: string
}

/** As a database would keep it: the fields of a line come back in another order. */
function openStore() {
  const kept = new Map<string, Line[]>()
  const nameOf = ({ sessionId, subpath }: Key): string =>
    [sessionId, ...(subpath === undefined ? [] : [subpath])].join("/")
  return {
    kept,
    append: async (key: Key, lines: readonly Line[]) =>
      void kept.set(nameOf(key), [...(kept.get(nameOf(key)) ?? []), ...lines]),
    load: async (key: Key) =>
      (kept.get(nameOf(key)) ?? null)?.map((line) => Object.fromEntries(Object.entries(line).toReversed()) as never) ??
      null,
    listSubkeys: async ({ sessionId }: Key) =>
      [...kept.keys()]
        .filter((name) => name.startsWith(`${sessionId}/`))
        .map((name) => name.slice(sessionId.length + 1)),
  }
}

/** The state is where the SDK believes it to be. */
const inStore = (world: World, store: ReturnType<typeof openStore>, more: object = {}) => ({
  ...world.options({ sessionStore: store, ...more } as never),
  env: {
    ...world.options().env,
    CODEWRIGHT_HOME: undefined,
    CLAUDE_CONFIG_DIR: join(world.place.path, "claude"),
  },
})

withBoth("every line of a session and its agents is kept, and the session goes on elsewhere", async (version) => {
  await using world = await openWorld(version, {
    scenario: {
      replies: [
        { when: { system: "You carry out one task" }, content: "Blue." },
        {
          content: [
            { tool: "Task", input: { description: "a look", prompt: "look", subagent_type: "general-purpose" } },
          ],
        },
        { content: "It is blue." },
        { content: "You asked about blue." },
        { content: "A fork." },
      ],
    },
  })
  const store = openStore()
  const first = await heard(world.query({ prompt: "which colour?", options: inStore(world, store) }))
  expect(first.thrown).toBeUndefined()
  const id = String(resultOf(first).session_id)
  expect([...store.kept.keys()].map((name) => name.replace(/agent-.*/, "agent"))).toEqual([id, `${id}/subagents/agent`])
  const file = join(world.place.path, "claude/projects", world.place.work.replace(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`)
  const written = (await Bun.file(file).text()).trim().split("\n")
  expect(store.kept.get(id)).toEqual(written.map((line) => withoutSum(JSON.parse(line))))

  const second = await heard(world.query({ prompt: "and?", options: inStore(world, store, { resume: id }) }))
  expect(second.thrown).toBeUndefined()
  expect(resultOf(second)).toMatchObject({ session_id: id, result: "You asked about blue." })
  expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("which colour?")

  const forked = await heard(
    world.query({ prompt: "fork", options: inStore(world, store, { resume: id, forkSession: true }) }),
  )
  expect(forked.thrown).toBeUndefined()
  const other = String(resultOf(forked).session_id)
  expect(other).not.toBe(id)
  expect(JSON.stringify(store.kept.get(other))).toContain("which colour?")
  expect(store.kept.get(id)?.some((line) => JSON.stringify(line).includes('"fork"'))).toBe(false)
})

withBoth("a store that fails is reported, and the session goes on", async (version) => {
  await using world = await openWorld(version, { scenario: ["Hello."] })
  const store = { ...openStore(), append: () => Promise.reject(new Error("no room")) }
  const told = await heard(world.query({ prompt: "hi", options: inStore(world, store) }))
  expect(told.thrown).toBeUndefined()
  expect(told.messages.find(({ subtype }) => subtype === "mirror_error")).toMatchObject({
    error: expect.stringContaining("no room"),
  })
  expect(resultOf(told)).toMatchObject({ result: "Hello." })
})

const withoutSum = ({ sum: _sum, ...line }: Line & { readonly sum?: string }): Line => line
