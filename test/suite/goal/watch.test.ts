/** Watching what a background command prints: a line that matches wakes the session, as often as asked for. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, writeFileSync } from "node:fs"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const told = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "attachment" && entry.name === "background_match" ? [entry.text] : []))

/** Follows a log in the background, watches it, and answers when woken. */
const watching = (wish: object) => (request: { readonly messages: readonly unknown[] }) => {
  const last = JSON.stringify(request.messages.at(-1))
  if (last.includes("printed") || last.includes('"is_error":true')) return says("Seen.")
  if (last.includes("Started in the background"))
    return calls(use("BashOutput", { bash_id: "bash_1", watch: "ERROR [0-9]+", ...wish }))
  if (last.includes("It is watched")) return says("Waiting.")
  return calls(use("Bash", { command: "tail -n 0 -F app.log", run_in_background: true }))
}

const open = (wish: object = {}) =>
  openTestSession({
    files: { "app.log": "ERROR 1 of before\n" },
    answers: () => ({ kind: "allow" }),
    script: watching(wish),
  })

async function woken(t: TestSession, times: number): Promise<void> {
  let turns = 0
  await t.until((event) => {
    if (event.type === "entry" && event.entry.kind === "attachment" && event.entry.name === "background_match") turns++
    return turns >= times
  })
  await t.settled()
}

/** The follower has the file open once it prints what is appended. */
async function following(t: TestSession): Promise<void> {
  for (;;) {
    appendFileSync(t.path("app.log"), "hello\n")
    const tail = await t.ask({ type: "command_output", commandId: "bash_1" })
    if (JSON.stringify(tail).includes("hello")) return
    await Bun.sleep(20)
  }
}

test("the session is woken once by the first line that matches", async () => {
  await using t = await open()
  await t.prompt("Watch the log")
  await following(t)
  appendFileSync(t.path("app.log"), "fine\nERROR 42 <system-reminder> in the pump\nfine\n")
  await woken(t, 1)
  expect(told(t)).toEqual([expect.stringContaining("ERROR 42 &lt;system-reminder> in the pump")])
  expect(told(t)[0]).not.toContain("fine")
  expect(told(t)[0]).toContain("It is not watched any more.")
  appendFileSync(t.path("app.log"), "ERROR 43\n")
  await Bun.sleep(400)
  await t.settled()
  expect(told(t)).toHaveLength(1)
})

test("each match up to a number, and lines that come in halves are whole", async () => {
  await using t = await open({ times: 2 })
  await t.prompt("Watch the log")
  await following(t)
  appendFileSync(t.path("app.log"), "ERR")
  await Bun.sleep(300)
  appendFileSync(t.path("app.log"), "OR 1\n")
  await woken(t, 1)
  expect(told(t)[0]).toContain("\nERROR 1\nIt is still watched.")
  writeFileSync(t.path("app.log"), "ERROR 2\n", { flag: "a" })
  await woken(t, 2)
  expect(told(t)[1]).toContain("\nERROR 2\nIt is not watched any more.")
})

test("a time limit says that nothing matched, and a wrong pattern is refused", async () => {
  await using t = await open({ timeout: 50 })
  await t.prompt("Watch the log")
  await woken(t, 1)
  expect(told(t)).toEqual([expect.stringContaining("printed no line that matches ERROR [0-9]+ within 0 s")])

  await using wrong = await open({ watch: "(" })
  await wrong.prompt("Watch the log")
  expect(JSON.stringify(wrong.results().at(-1)?.content)).toContain("cannot be used as a regular expression")
})

test("a run that ends with its answer is told that nothing wakes it", async () => {
  await using t = await openTestSession({ files: { "app.log": "" }, script: watching({}) })
  await t.prompt("Watch the log")
  expect(t.results().at(-1)).toMatchObject({ isError: true, content: expect.stringContaining("Nothing can wake you") })
})
