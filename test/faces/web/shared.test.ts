/** What people share and look for over HTTP: links, handing over, comments, search, templates and usage, and what others get of it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { searchedText } from "#fleet/database/page-lists.ts"
import type { Database } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import type { UserRole } from "#fleet/records.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { undocumented } from "../../kit/fleet/api-document.ts"
import { session } from "../../kit/fleet/records.ts"
import { type Answered, openTestServer, type TestServer } from "../../kit/fleet/web-server.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer

beforeAll(async () => {
  database = await openUsual({ join: (name = "") => join(folder, name) })
  server = await openTestServer(database, { visibility: "own" })
  await server.store.tokens.add({ name: "ann", role: "operator" }, "the-secret-of-ann", undefined, "root")
}, 300_000)

afterAll(async () => {
  await server.close()
  await database.close()
})

const ask = (who: UserRole | "ann", method: string, path: string, body?: object): Promise<Answered> =>
  server.ask(method, `/api/${path}`, {
    ...(who === "ann" ? { secret: "the-secret-of-ann" } : { as: who }),
    ...(body && { body }),
  })
const create = (id: string, more: object = {}, by = "the operator"): Promise<unknown> =>
  server.store.sessions.create(session(id, { labels: [id], ...more }), by)
const codes = async (asked: readonly Promise<Answered>[]): Promise<readonly number[]> =>
  (await Promise.all(asked)).map(({ status }) => status)

describe("a link", () => {
  test("lets those in who sign in, as what it says and no more, until it is taken back", async () => {
    await create("shared")
    expect(await codes([ask("ann", "GET", "sessions/shared"), ask("viewer", "GET", "sessions/shared")])).toEqual([
      404, 404,
    ])
    const { body } = await ask("operator", "POST", "sessions/shared/links", { role: "operator" })
    const { link } = body as { link: string }
    expect(
      await codes([
        ask("ann", "POST", "shared", { link: `${link}x` }),
        ask("ann", "POST", "shared", { link: "' or 1=1" }),
      ]),
    ).toEqual([404, 404])
    expect((await ask("ann", "POST", "shared", { link })).body).toEqual({ sessionId: "shared" })
    expect((await ask("viewer", "POST", "shared", { link })).body).toEqual({ sessionId: "shared" })
    expect(await codes([ask("ann", "GET", "sessions/shared"), ask("viewer", "GET", "sessions/shared")])).toEqual([
      200, 200,
    ])
    // An operator's link makes no operator of a viewer, and shows nothing else.
    expect((await ask("viewer", "POST", "sessions/shared/messages", { text: "x" })).status).toBe(403)
    expect((await ask("ann", "GET", "sessions/shared")).body).toMatchObject({ createdBy: "the operator" })
    expect((await ask("operator", "GET", "sessions/shared/sharing")).body).toEqual({
      people: [
        { name: "ann", role: "operator" },
        { name: "the viewer", role: "viewer" },
      ],
    })
    // Whoever has it by a link shares it with nobody, and hands it to nobody.
    expect(
      await codes([
        ask("ann", "POST", "sessions/shared/links", { role: "viewer" }),
        ask("ann", "POST", "sessions/shared/owner", { to: "ann" }),
        ask("ann", "DELETE", "sessions/shared/sharing"),
      ]),
    ).toEqual([403, 403, 403])
    expect((await ask("operator", "DELETE", "sessions/shared/sharing")).status).toBe(204)
    expect(
      await codes([
        ask("ann", "GET", "sessions/shared"),
        ask("ann", "POST", "shared", { link }),
        ask("viewer", "GET", "sessions/shared/comments"),
      ]),
    ).toEqual([404, 404, 404])
    const rows = await database.rows<{ digest: string }>("select digest from fleet_links")
    expect(rows.every(({ digest }) => digest !== link)).toBe(true)
  })

  test("nobody without a token, and no session of somebody else", async () => {
    await create("theirs", {}, "ann")
    expect((await server.ask("POST", "/api/shared", { body: { link: "x" } })).status).toBe(401)
    expect((await ask("operator", "POST", "sessions/theirs/links", { role: "viewer" })).status).toBe(404)
    expect((await ask("viewer", "POST", "sessions/shared/links", { role: "viewer" })).status).toBe(403)
  })
})

test("a session is handed over once, with what waits in it", async () => {
  await create("handed")
  expect(
    await codes([
      ask("operator", "POST", "sessions/handed/owner", { to: "nobody" }),
      ask("operator", "POST", "sessions/handed/owner", { to: "the viewer" }),
    ]),
  ).toEqual([422, 422])
  expect((await ask("operator", "POST", "sessions/handed/owner", { to: "ann" })).status).toBe(204)
  expect(await codes([ask("operator", "GET", "sessions/handed"), ask("ann", "GET", "sessions/handed")])).toEqual([
    404, 200,
  ])
})

test("comments are removed by whoever made them, and sent by whoever steers, once", async () => {
  await create("talk", {}, "ann")
  const { body } = await ask("ann", "POST", "sessions/talk/comments", { text: "First" })
  const { id } = body as { id: string }
  expect(
    await codes([
      ask("operator", "POST", "sessions/talk/comments", { text: "x" }),
      ask("operator", "DELETE", `sessions/talk/comments/${id}`),
      ask("operator", "POST", "sessions/talk/comments/send", { comments: [id] }),
      ask("ann", "POST", "sessions/talk/comments", { text: "  " }),
      ask("ann", "POST", "sessions/talk/comments", {
        text: "x",
        place: { path: "a", side: "left", line: 1, quote: "" },
      }),
    ]),
  ).toEqual([404, 404, 404, 422, 422])
  const sent = await codes([
    ask("ann", "POST", "sessions/talk/comments/send", { comments: [id] }),
    ask("ann", "POST", "sessions/talk/comments/send", { comments: [id] }),
  ])
  expect(sent.toSorted()).toEqual([202, 409])
  expect((await server.store.ops.waiting("talk")).map(({ op }) => op?.type)).toEqual(["prompt", "prompt"])
  expect((await ask("ann", "DELETE", `sessions/talk/comments/${id}`)).status).toBe(409)
})

test("sessions are found by words, person, place and model, and only one's own where that is so", async () => {
  await create("find-1", {
    title: "Fix the checkout",
    query: "The total is wrong",
    model: "sonnet",
    opening: { workspace: { git: { url: "https://git.example/shop.git" } } },
  })
  await create("find-2", { title: "Write docs", query: "About the checkout of carts", model: "haiku" })
  await create("find-3", { title: "Fix the checkout", query: "x" }, "ann")
  const found = async (who: UserRole, query: string): Promise<readonly string[]> => {
    const { body } = await ask(who, "GET", `sessions?${query}`)
    return (body as { sessions: readonly { id: string }[] }).sessions.map(({ id }) => id)
  }
  expect(await found("operator", "search=check")).toEqual(["find-2", "find-1"])
  expect(await found("operator", "search=fix%20check")).toEqual(["find-1"])
  expect(await found("admin", "search=checkout&by=ann")).toEqual(["find-3"])
  expect(await found("operator", "by=ann")).toEqual([])
  expect(await found("operator", "model=haiku")).toEqual(["find-2"])
  for (const place of ["https://git.example/shop.git", "https://git.example/shop", "git@git.example:shop.git"])
    expect(await found("operator", `place=${encodeURIComponent(place)}`)).toEqual(["find-1"])
  expect(await found("operator", "place=https://git.example/sho")).toEqual([])
  expect(await found("operator", "place=/w&search=checkout")).toEqual(["find-2"])
  for (const words of ["'", "!!", "a & | b", "\\", "'; drop table fleet_sessions", "%", ":*"])
    expect((await ask("operator", "GET", `sessions?search=${encodeURIComponent(words)}`)).status).toBe(200)
  // However many sessions there are, words are found by an index.
  const plan = await database.transaction(async (sql) => {
    await sql.rows("set local enable_seqscan = off")
    return sql.rows<{ "QUERY PLAN": string }>(
      `explain select id from fleet_sessions where ${searchedText} @@ to_tsquery('simple', 'a:*')`,
    )
  })
  expect(JSON.stringify(plan)).toContain("fleet_page_text")
})

test("what was chosen before can be chosen again, and templates are everybody's", async () => {
  const { body } = await ask("operator", "GET", "choices")
  const { repositories, models, people } = body as {
    repositories: readonly { place: string }[]
    models: readonly string[]
    people: readonly string[]
  }
  expect(repositories.map(({ place }) => place)).toContain("https://git.example/shop.git")
  expect(models).toEqual(expect.arrayContaining(["haiku", "sonnet"]) as string[])
  expect(people).toEqual(["the operator"])
  const template = { name: "fix-tests", prompt: "Fix the tests", mode: "acceptEdits" }
  expect(
    await codes([
      ask("operator", "POST", "templates", template),
      ask("viewer", "POST", "templates", template),
      ask("operator", "POST", "templates", { ...template, name: "../x" }),
    ]),
  ).toEqual([204, 403, 422])
  expect(((await ask("ann", "GET", "choices")).body as { templates: object[] }).templates).toEqual([template])
  expect(
    await codes([ask("operator", "DELETE", "templates/fix-tests"), ask("operator", "DELETE", "templates/nothing")]),
  ).toEqual([204, 404])
})

test("usage is of what one sees, by person, repository and model", async () => {
  const usage = async (who: UserRole, by: string): Promise<readonly string[]> =>
    ((await ask(who, "GET", `usage?by=${by}&days=7`)).body as { days: string[]; shares: { name: string }[] }).shares
      .map(({ name }) => name)
      .toSorted()
  expect(await usage("admin", "person")).toEqual(["ann", "the operator"])
  expect(await usage("operator", "person")).toEqual(["the operator"])
  expect(await usage("operator", "model")).toEqual(expect.arrayContaining(["haiku", "sonnet"]) as string[])
  expect((await ask("operator", "GET", "usage?by=size")).status).toBe(422)
})

test("a picture is taken if it is one", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  const start = (data: string, mediaType = "image/png"): Promise<Answered> =>
    ask("admin", "POST", "sessions", {
      prompt: "Look",
      workspace: { git: { url: "https://git.example/shop.git" } },
      images: [{ mediaType, data }],
    })
  const made = await start(png)
  expect(made.status).toBe(201)
  const [first] = await server.store.ops.waiting((made.body as { id: string }).id)
  expect(first?.op).toMatchObject({
    content: [
      { type: "text", text: "Look" },
      { type: "image", source: { media_type: "image/png", data: png } },
    ],
  })
  expect(
    await codes([
      start(btoa("<svg onload=alert(1)>")),
      start("not base64!"),
      start(png, "image/svg+xml"),
      start("A".repeat(5_000_001)),
    ]),
  ).toEqual([422, 422, 422, 422])
})

test("the document describes every answer that was given here", async () => {
  await create("read")
  for (const path of ["changes", "changes/nothing", "comments", "latest?limit=5", "sharing"])
    await ask("operator", "GET", `sessions/read/${path}`)
  const { body } = await ask("viewer", "GET", "openapi.json")
  expect(undocumented(body as JsonObject, server.heard)).toEqual([])
})
