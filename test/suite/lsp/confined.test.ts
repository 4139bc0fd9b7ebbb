/** Language servers run code of the project, so they are confined as commands are. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { resolve } from "node:path"
import { lspOf, wayward } from "../../kit/lsp/servers.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, write } from "../../kit/script.ts"

setDefaultTimeout(300_000)

/** The server comes with the repository, which may lie in /tmp, where confined programs see another folder. */
const repository = resolve(import.meta.dir, "../../..")
const value = { enabled: true, filesystem: { allowRead: [repository, process.execPath] } }

const told = (t: TestSession): string =>
  t
    .entries()
    .flatMap((entry) => (entry.kind === "attachment" && entry.name === "diagnostics" ? [entry.text] : []))
    .join()

test("in the sandbox a server writes in the workspace, and nowhere else", async () => {
  await using t = await openTestSession({
    script: [calls(write("a.txt", "x\n")), says("Done.")],
    place: { trusted: true },
    lsp: lspOf(wayward("leaves")),
    sandbox: { values: value, sources: [{ source: "user settings", file: "settings.json", base: repository, value }] },
  })
  await t.prompt("go")
  expect(told(t)).toContain("outside: refused, inside: written")
})

test("where nothing can be confined, it is not started, and the reason is said", async () => {
  await using t = await openTestSession({
    script: [calls(write("a.txt", "bad\n")), says("Done.")],
    place: { trusted: true, confine: async () => undefined, bubblewrap: ["/nonexistent"] },
    lsp: lspOf(wayward("good")),
    sandbox: { values: { enabled: true }, sources: [] },
  })
  await t.prompt("go")
  expect(told(t)).toBe("")
  expect(JSON.stringify(t.entries().filter((entry) => entry.kind === "notice"))).toContain("The sandbox does not work")
})
