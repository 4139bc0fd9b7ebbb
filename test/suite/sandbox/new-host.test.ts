/** A host that nothing allows yet: a confined command waits for the person's answer, who is asked once. */

import { describe, expect, test } from "bun:test"
import type { Answer, Question } from "#agent/words/question.ts"
import { failed, ok } from "#lib/result.ts"
import { bwrap } from "../../kit/confine.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"

const openSite = () => {
  const seen: string[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url, headers }) {
      seen.push(`${headers.get("host")}${new URL(url).pathname}`)
      return new Response("the page\n")
    },
  })
  return { port: server.port ?? 0, seen, [Symbol.dispose]: () => void server.stop(true) }
}

interface Command {
  readonly command: string
  readonly run_in_background?: boolean
}

/** The name leads to the test's own server; that very address is allowed, or nobody's yes would open it. */
const open = (port: number, commands: readonly Command[], answers: (question: Question) => Answer) =>
  openTestSession({
    script: [...commands.map((command) => calls(use("Bash", { ...command }))), says("Done.")],
    mode: "default",
    allow: [],
    answers,
    place: { resolve: async (host) => (host === "mirror.test" ? ok(["127.0.0.1"]) : failed("no such name")) },
    sandbox: {
      values: { enabled: true, autoAllowBashIfSandboxed: true },
      sources: [
        {
          source: "user settings",
          file: "settings.json",
          base: "/",
          value: { network: { allowedDomains: [`127.0.0.1:${port}`] } },
        },
      ],
    },
  })

const contents = (t: TestSession): readonly string[] => t.results().map(({ content }) => String(content))

describe.skipIf(bwrap === null)("a new host", () => {
  test("is asked about once, however many connections wait, and the question names the command", async () => {
    using site = openSite()
    const asked: Question["ask"][] = []
    const command = `seq 5 | xargs -P 5 -I N curl -sS http://mirror.test:${site.port}/N; curl -sS http://mirror.test:${site.port}/6`
    await using t = await open(site.port, [{ command }], ({ ask }) => (asked.push(ask), { kind: "allow" }))
    await t.prompt("fetch")
    expect(contents(t)).toEqual(["the page\n".repeat(6).trimEnd()])
    expect(asked).toMatchObject([
      { kind: "permission", title: `Connect to mirror.test:${site.port}`, input: { command } },
    ])
    expect(site.seen.toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `mirror.test:${site.port}/${n}`))
  })

  test("that is declined is not reached, is named in the result, and is not asked about again", async () => {
    using site = openSite()
    let asked = 0
    const command = `curl -sS --fail http://mirror.test:${site.port}/`
    await using t = await open(site.port, [{ command }, { command }], () => {
      asked++
      return { kind: "deny", interrupt: false }
    })
    await t.prompt("fetch")
    expect([asked, site.seen]).toEqual([1, []])
    for (const content of contents(t)) {
      expect(content).toStartWith("Exit code 22\n")
      expect(content).toContain(`[The sandbox refused: connecting to mirror.test:${site.port}.`)
    }
  })

  test("that a command in the background wants is asked about in that command's name", async () => {
    using site = openSite()
    const asked: Question["ask"][] = []
    const command = `curl -sS -o got.txt http://mirror.test:${site.port}/`
    const answers = ({ ask }: Question): Answer => (asked.push(ask), { kind: "allow" })
    await using t = await open(site.port, [{ command, run_in_background: true }], answers)
    await t.prompt("fetch")
    while (!(await Bun.file(t.path("got.txt")).exists())) await Bun.sleep(20)
    const [call] = t.entries().flatMap((entry) => (entry.kind === "result" ? [entry.callId] : []))
    expect(asked).toMatchObject([{ title: `Connect to mirror.test:${site.port}`, callId: call, input: { command } }])
  })

  test("of the local network that no line names is refused without a question", async () => {
    using site = openSite()
    let asked = 0
    const command = `curl -sS --fail --noproxy '' http://169.254.169.254/ http://10.0.0.1/`
    await using t = await open(site.port, [{ command }], () => (asked++, { kind: "allow" }))
    await t.prompt("fetch")
    expect(asked).toBe(0)
    expect(contents(t)[0]).toContain("connecting to 169.254.169.254:80; connecting to 10.0.0.1:80")
  })
})
