/** Two sessions worked in the same folder at once, and nobody was told. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { openUsual } from "../kit/database/engines.ts"
import { openTestServer } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("a session says which others work in its folder, until they are over", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("shop/api"), { recursive: true })
  mkdirSync(folder.join("shop-two"))
  symlinkSync(folder.join("shop"), folder.join("link"))
  const database = await openUsual(folder)
  const server = await openTestServer(database, { visibility: "own" })
  const begin = async (path: string, as: "operator" | "admin" = "admin") => {
    const body = { prompt: `Work in ${path}`, title: path, workspace: { path } }
    const { body: made } = await server.ask("POST", "/api/sessions", { as, body })
    return made as { id: string; sharedWith?: { count: number; sessions: { title: string }[] } }
  }
  const shared = async (id: string, as: "operator" | "admin" = "admin") => {
    const { sharedWith } = (await server.ask("GET", `/api/sessions/${id}`, { as })).body as Awaited<
      ReturnType<typeof begin>
    >
    return sharedWith && { count: sharedWith.count, titles: sharedWith.sessions.map(({ title }) => title) }
  }
  const shop = folder.join("shop")
  const first = await begin(`${shop}/`)
  expect(first.sharedWith).toBeUndefined()
  const linked = await begin(folder.join("link"), "operator")
  // It is told at once, and nothing of a session that is not theirs to see.
  expect(linked.sharedWith).toEqual({ count: 1, sessions: [] })
  const below = await begin(`${shop}/api`)
  const beside = await begin(folder.join("shop-two"))
  expect(await shared(first.id)).toEqual({ count: 2, titles: [folder.join("link"), `${shop}/api`] })
  expect(await shared(below.id)).toEqual({ count: 2, titles: [`${shop}/`, folder.join("link")] })
  expect(await shared(beside.id)).toBeUndefined()
  await server.ask("DELETE", `/api/sessions/${linked.id}`, { as: "operator" })
  expect(await shared(first.id)).toEqual({ count: 1, titles: [`${shop}/api`] })
  await server.ask("DELETE", `/api/sessions/${below.id}`, { as: "admin" })
  expect(await shared(first.id)).toBeUndefined()
  await server.close()
  await database.close()
}, 300_000)
