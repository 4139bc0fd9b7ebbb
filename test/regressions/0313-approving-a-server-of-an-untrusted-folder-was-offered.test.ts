/** `/mcp` said that the folder is not trusted, and offered "e to approve and start", which could only fail. */

import { expect, test } from "bun:test"
import { openOnPaper } from "../faces/tui/on-paper.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { servers, wayward } from "../kit/mcp/servers.ts"
import { says } from "../kit/script.ts"

test("a server that waits for the folder to be trusted is not offered for approval", async () => {
  await using t = await openTestSession({
    script: [says("Hello.")],
    mcp: servers([{ ...wayward("wayward"), source: "project", held: "untrusted", fingerprint: "f1" }]),
  })
  await t.prompt("go")
  const states = await t.ask({ type: "servers" })
  const listed = await t.ask({ type: "command", name: "mcp", args: "wayward" })
  expect(listed?.text).toContain("To trust it: codewright trust")
  expect(listed?.text).not.toContain("Approve")

  const done = async () => ({ ok: true, value: undefined }) as const
  const acts = { reconnect: done, enable: done, disable: done, disableHere: done, login: done }
  const paper = await openOnPaper(100, 30, {
    panels: { mcp: { servers: async () => states, watch: () => () => {}, ...acts } },
  })
  await paper.type("/mcp\r")
  await paper.pass(400)
  await paper.type("\r")
  await paper.pass(400)
  const shown = await paper.terminal.screen()
  expect(shown).toContain("To trust it: codewright trust")
  expect(shown).not.toContain("approve")
})
