/** Two sessions in one folder were told to people at most: nothing could refuse the second one, and no model knew of the other. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { openUsual } from "../kit/database/engines.ts"
import { hasPostgres, openPostgres } from "../kit/database/postgres-server.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { openTestServer } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("with sharedFolders set to refuse, the second session in a folder is refused, of two at once too, and one that is over waits", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("shop/api"), { recursive: true })
  mkdirSync(folder.join("other"))
  symlinkSync(folder.join("shop"), folder.join("link"))
  const database = await openUsual(folder)
  const server = await openTestServer(database, { sharedFolders: "refuse", visibility: "own" })
  const begin = (path: string, as: "operator" | "admin" = "admin") =>
    server.ask("POST", "/api/sessions", {
      as,
      body: { prompt: `Work in ${path}`, title: "Shop work", workspace: { path } },
    })
  const refused = (words: string) => ({
    status: 409,
    body: { error: { code: "conflict", message: expect.stringContaining(words) } },
  })
  const shop = folder.join("shop")
  const both = await Promise.all([begin(shop), begin(folder.join("link"))])
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
  const first = both.find(({ status }) => status === 201)?.body as { id: string }
  expect(both.find(({ status }) => status === 409)).toMatchObject(
    refused(`The session "Shop work" (${first.id.slice(0, 8)}) works in this folder`),
  )
  expect(await begin(`${shop}/api`)).toMatchObject(refused("server.sharedFolders"))
  // Nothing is said of a session that is not theirs to see.
  expect(await begin(shop, "operator")).toMatchObject(refused("Another session works in this folder"))
  expect((await begin(folder.join("other"))).status).toBe(201)
  const git = { prompt: "x", workspace: { git: { url: "https://git.example/a/shop" } } }
  for (const _ of [1, 2])
    expect((await server.ask("POST", "/api/sessions", { as: "admin", body: git })).status).toBe(201)

  await server.ask("DELETE", `/api/sessions/${first.id}`, { as: "admin" })
  const second = (await begin(shop)).body as { id: string }
  await database.rows("update fleet_sessions set stage = 'completed' where id = $1", [second.id])
  const third = (await begin(shop)).body as { id: string }
  const message = (id: string) =>
    server.ask("POST", `/api/sessions/${id}/messages`, { as: "admin", body: { text: "Go on." } })
  expect(await message(second.id)).toMatchObject(refused("works in this folder"))
  expect((await message(third.id)).status).toBe(202)
  await server.ask("DELETE", `/api/sessions/${third.id}`, { as: "admin" })
  expect((await message(second.id)).status).toBe(202)
  await server.close()
  await database.close()
}, 300_000)

test.skipIf(!hasPostgres)(
  "otherwise the model is told that another one works there",
  async () => {
    await using postgres = await openPostgres()
    await using fleet = await openFleet(
      ({ messages }) =>
        JSON.stringify(messages).includes("one that waits") && !JSON.stringify(messages).includes('"tool_result"')
          ? { content: [{ tool: "Bash", input: { command: "touch made" } }] }
          : { content: "Done." },
      postgres,
    )
    await fleet.startWorker()
    const alone = await fleet.create({ query: "The one that waits" })
    await fleet.until(alone, ({ stage }) => stage === "awaiting_tool_approval")
    const second = await fleet.create({ query: "The second one" })
    await fleet.until(second, ({ stage }) => stage === "completed")
    const logOf = async (id: string) => JSON.stringify(await fleet.store.lines.after(id, 0, 1000))
    expect(await logOf(second)).toContain("Another session works in this folder at the same time.")
    expect(await logOf(alone)).not.toContain("works in this folder at the same time")
  },
  Infinity,
)
