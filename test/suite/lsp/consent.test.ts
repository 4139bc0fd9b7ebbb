/** Who decides that a language server starts: the user, once for a project and a command. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import type { LspChoice } from "#session/opening/options.ts"
import { isRunning } from "../../kit/is-running.ts"
import { lspOf, wayward } from "../../kit/lsp/servers.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { calls, says, use, write } from "../../kit/script.ts"
import { cast, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const ofProject: LspChoice = lspOf({ ...wayward("good"), source: "project" })

const told = (t: TestSession): number =>
  t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "diagnostics").length

function answering(label: string): { readonly asked: string[]; readonly answers: (question: Question) => Answer } {
  const asked: string[] = []
  return {
    asked,
    answers({ ask }) {
      if (ask.kind !== "choice") return { kind: "allow" }
      const question = ask.questions[0]?.question ?? ""
      asked.push(question)
      return { kind: "choices", answers: { [question]: label } }
    },
  }
}

const breaking = [calls(write("a.txt", "bad\n")), calls(write("b.txt", "bad\n")), says("Done.")]

const open = (more: Partial<TestSessionOptions>): Promise<TestSession> =>
  openTestSession({ script: [...breaking, ...breaking], lsp: ofProject, place: { trusted: true }, ...more })

test("the question names the command; a yes is kept for the project, and not asked again", async () => {
  const { asked, answers } = answering("Start it")
  await using t = await open({ answers })
  await t.prompt("go")
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain(`wayward: ${process.execPath} `)
  expect(told(t)).toBe(2)
  await using again = await t.reopen()
  await again.prompt("go")
  expect(asked).toHaveLength(1)
})

test("not now: nothing is started, and the next session asks again", async () => {
  const { asked, answers } = answering("Not now")
  await using t = await open({ answers })
  await t.prompt("go")
  expect([asked.length, told(t), existsSync(t.path("../state/lsp-approvals.json"))]).toEqual([1, 0, false])
})

test("never here: kept, and neither asked about nor offered again", async () => {
  const { asked, answers } = answering("Never here")
  await using t = await open({ answers })
  await t.prompt("go")
  await using again = await t.reopen()
  await again.prompt("go")
  expect([asked.length, told(again)]).toEqual([1, 0])
  expect(JSON.stringify(again.simulator.requests.at(-1)?.body)).not.toContain('"LSP"')
})

test("where nobody can be asked, only what the user configured is started", async () => {
  await using found = await open({})
  await found.prompt("go")
  expect(told(found)).toBe(0)
  await using own = await open({ lsp: lspOf(wayward("good")) })
  await own.prompt("go")
  expect(told(own)).toBe(2)
})

test("a changed command is asked about again", async () => {
  const { asked, answers } = answering("Start it")
  await using t = await open({ answers })
  await t.prompt("go")
  await using again = await t.reopen({ lsp: lspOf({ ...wayward("lies"), source: "project" }) })
  await again.prompt("go")
  expect(asked).toHaveLength(2)
})

test("agents share the server of their session, which is gone when the session is", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(write("a.txt", "bad\n")), calls(task("alpha")), says("Done.")],
      alpha: [
        calls(write("b.txt", "bad\n")),
        calls(use("LSP", { operation: "findReferences", filePath: "a.txt", line: 1, symbol: "bad" })),
        says("Written."),
      ],
    }),
    files: { "c.txt": "" },
    lsp: lspOf(wayward("good")),
    place: { trusted: true },
  })
  const before = serversIn(t.root)
  await t.prompt("go")
  expect([before.length, serversIn(t.root).length]).toEqual([0, 1])
  expect(JSON.stringify(t.requests())).toContain("New errors in b.txt")
  const [pid = 0] = serversIn(t.root).map(Number)
  await t[Symbol.asyncDispose]()
  expect(isRunning(pid)).toBe(false)
})

/** The processes of the misbehaving server in a folder. */
const serversIn = (root: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8")
      return line.includes("wayward-server.ts") && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(root)
    } catch {
      return false
    }
  })
