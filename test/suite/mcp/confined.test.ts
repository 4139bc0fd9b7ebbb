/** Servers in the sandbox: they work, and write and reach no more than the policy lets them. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { everything, reaching, servers } from "../../kit/mcp/servers.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"

/** The servers of these tests come with the repository, which may lie in /tmp, where confined programs see another folder. */
const repository = resolve(import.meta.dir, "../../..")
const value = { mcp: true, filesystem: { allowRead: [repository] } }
const sandbox = {
  values: value,
  sources: [{ source: "user settings", file: "settings.json", base: repository, value }],
} as const
const said = (t: TestSession): readonly string[] => t.results().map(({ content }) => String(content))

/** Inside, /tmp is another folder; what lies here is the same. */
const outside = "/usr/local/codewright-no-server-writes-here"

test.concurrent("an official server works in the sandbox", async () => {
  await using t = await openTestSession({
    script: [calls(use("mcp__everything__echo", { message: "hello" })), says("Done.")],
    mcp: servers([everything()]),
    allow: ["mcp__everything"],
    sandbox,
  })
  await t.prompt("go")
  expect(said(t)).toEqual(["Echo: hello"])
})

test.concurrent("a server writes in the workspace, not outside, and connects to nothing", async () => {
  const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") })
  await using t = await openTestSession({
    script: [
      calls(use("mcp__reach__write", { path: "inside.txt" })),
      calls(use("mcp__reach__write", { path: outside })),
      calls(use("mcp__reach__connect", { port: listener.port ?? 0 })),
      says("Done."),
    ],
    mcp: servers([reaching()]),
    allow: ["mcp__reach"],
    sandbox,
  })
  await t.prompt("go")
  await listener.stop(true)
  const [inside, elsewhere, connected] = said(t)
  expect(inside).toBe("wrote inside.txt")
  expect(elsewhere).toContain("EROFS")
  expect(connected).toContain("ECONNREFUSED")
  expect([t.read("inside.txt"), existsSync(outside)]).toEqual(["written", false])
})

test.concurrent("the same server connects when only commands are confined", async () => {
  const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") })
  await using t = await openTestSession({
    script: [calls(use("mcp__reach__connect", { port: listener.port ?? 0 })), says("Done.")],
    mcp: servers([reaching()]),
    allow: ["mcp__reach"],
    sandbox: { values: { enabled: true }, sources: [] },
  })
  await t.prompt("go")
  await listener.stop(true)
  expect(said(t)).toEqual(["connected"])
})

const failures = async (t: TestSession): Promise<readonly unknown[]> => {
  await t.prompt("go")
  const list = await t.ask({ type: "servers" })
  return list.map(({ status, reason }) => ({ status, reason }))
}

test.concurrent("a server that cannot start without what is refused says which", async () => {
  await using t = await openTestSession({ script: [says("Done.")], mcp: servers([reaching(outside)]), sandbox })
  expect(await failures(t)).toEqual([
    { status: "failed", reason: expect.stringContaining(`The sandbox refused writing ${outside}.`) },
  ])
  expect(existsSync(outside)).toBe(false)
})

test.concurrent("where the sandbox does not work the server does not start, and the reason is told", async () => {
  await using t = await openTestSession({
    script: [says("Done.")],
    mcp: servers([reaching(outside)]),
    sandbox,
    place: { platform: "plan9" },
  })
  expect(await failures(t)).toEqual([
    { status: "failed", reason: expect.stringContaining("there is no sandbox for this system yet") },
  ])
  expect(existsSync(outside)).toBe(false)
})
