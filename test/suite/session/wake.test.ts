/** A session in which nothing is under way can be woken: by an agent that ends, by a kit, or by an op. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { on } from "../hooks/hooks.ts"
import { cast, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const yes = () => ({ kind: "allow" }) as const
const turns = (t: TestSession): number => t.entries().filter(({ kind }) => kind === "turn_start").length
const lastMessage = (t: TestSession): string => JSON.stringify(t.requests().at(-1)?.at(-1))

/** Mail that comes whenever it likes; told is what is in the log. */
function mailKit(): { readonly kit: Kit; readonly send: (text: string) => void; readonly isHeard: () => boolean } {
  let unread: readonly Attachment[] = []
  let wake: (() => void) | undefined
  return {
    kit: {
      name: "mail",
      rest: () => unread,
      onEntry(entry) {
        if (entry.kind === "attachment" && entry.name === "mail")
          unread = unread.filter(({ text }) => text !== entry.text)
      },
      stirs(how) {
        wake = how
        return () => void (wake = undefined)
      },
    },
    send(text) {
      unread = [...unread, { name: "mail", text }]
      wake?.()
    },
    isHeard: () => wake !== undefined,
  }
}

async function turnEnded(t: TestSession, count: number): Promise<void> {
  while (t.entries().filter(({ kind }) => kind === "turn_end").length < count) await Bun.sleep(5)
  await t.settled()
}

test("an agent in the background that ends wakes the session, and the model hears of it", async () => {
  await using t = await openTestSession({
    answers: yes,
    script: cast({
      main: [calls(task("alpha", { run_in_background: true })), says("I wait."), says("I heard.")],
      alpha: [calls(bash("while [ ! -e go ]; do sleep 0.02; done")), says("All done.")],
    }),
  })
  await t.prompt("go")
  expect(turns(t)).toBe(1)
  await Bun.write(t.path("go"), "")
  await turnEnded(t, 2)
  expect(t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "agent_end")).toHaveLength(1)
  expect(lastMessage(t)).toContain("the alpha work")
  expect(t.entries().filter(({ kind }) => kind === "prompt")).toHaveLength(1)
})

test("a command in the background that ends wakes the session; one that the user stopped does not", async () => {
  const behind = (command: string) => calls({ tool: "Bash", input: { command, run_in_background: true } })
  await using t = await openTestSession({
    answers: yes,
    script: [
      behind("while [ ! -e go ]; do sleep 0.02; done; echo built"),
      says("I wait."),
      says("I heard."),
      behind("sleep 600"),
      says("Started."),
    ],
  })
  await t.prompt("go")
  expect(turns(t)).toBe(1)
  await Bun.write(t.path("go"), "")
  await turnEnded(t, 2)
  expect(t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "background_end")).toHaveLength(1)
  expect(lastMessage(t)).toContain("bash_1")
  await t.prompt("one more")
  await t.session.submit({ type: "stop_command", commandId: "bash_2" })
  await t.settled()
  expect(turns(t)).toBe(3)
})

test("mail wakes an idle session once; while a turn runs it is heard in that turn", async () => {
  const mail = mailKit()
  await using t = await openTestSession({
    answers: yes,
    kits: [mail.kit],
    script: [
      says("First."),
      says("I read it."),
      calls(bash("touch on; while [ ! -e go ]; do sleep 0.02; done")),
      says("Ran."),
      says("Read too."),
    ],
  })
  await t.prompt("hello")
  mail.send("from a friend")
  await turnEnded(t, 2)
  expect(lastMessage(t)).toContain("from a friend")

  t.say("run it")
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(5)
  mail.send("another one")
  await Bun.write(t.path("go"), "")
  await turnEnded(t, 3)
  expect(turns(t)).toBe(3)
  expect(lastMessage(t)).toContain("another one")
})

test("a wake without news begins no turn, and what is said to a woken session is heard after it", async () => {
  const mail = mailKit()
  await using t = await openTestSession({
    answers: yes,
    kits: [mail.kit],
    script: [calls(bash("touch on; while [ ! -e go ]; do sleep 0.02; done")), says("Read."), says("Answered.")],
  })
  void t.session.submit({ type: "wake" })
  await t.settled()
  expect(turns(t)).toBe(0)
  mail.send("wake up")
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(5)
  void t.session.submit({ type: "prompt", content: [{ type: "text", text: "and this" }], when: "queue" })
  await Bun.write(t.path("go"), "")
  await turnEnded(t, 2)
  expect(t.requests().map((messages) => JSON.stringify(messages.at(-1)))).toEqual([
    expect.stringContaining("wake up"),
    expect.stringContaining("tool_result"),
    expect.stringContaining("and this"),
  ])
})

test("nobody is behind a run without a person: it is not woken; an op wakes it all the same", async () => {
  const mail = mailKit()
  await using t = await openTestSession({ kits: [mail.kit], script: [says("First."), says("Read.")] })
  await t.prompt("hello")
  expect(mail.isHeard()).toBe(false)
  mail.send("are you there?")
  expect(turns(t)).toBe(1)
  void t.session.submit({ type: "wake" })
  await turnEnded(t, 2)
  expect(lastMessage(t)).toContain("are you there?")
})

test("mail that comes when the model has had its last word, or during a command of the person, wakes the session after that", async () => {
  const mail = mailKit()
  const waits = "touch on; while [ ! -e go ]; do sleep 0.02; done"
  await using t = await openTestSession({
    answers: yes,
    kits: [mail.kit],
    hooks: { Stop: [on(waits)] },
    script: [says("First."), says("Read."), says("Read too.")],
  })
  t.say("hello")
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(5)
  mail.send("while a hook looks")
  await Bun.write(t.path("go"), "")
  await turnEnded(t, 2)
  expect(lastMessage(t)).toContain("while a hook looks")

  await Bun.$`rm ${t.path("on")} ${t.path("go")}`
  void t.session.submit({ type: "shell", command: waits })
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(5)
  mail.send("while a command runs")
  await Bun.write(t.path("go"), "")
  await turnEnded(t, 3)
  expect(lastMessage(t)).toContain("while a command runs")
})

test("who interrupts a turn wants quiet: what came during it waits for the next prompt", async () => {
  const mail = mailKit()
  await using t = await openTestSession({
    answers: yes,
    kits: [mail.kit],
    script: [calls(bash("touch on; sleep 60")), says("Read.")],
  })
  t.say("run it")
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(5)
  mail.send("during it")
  void t.session.submit({ type: "interrupt" })
  await turnEnded(t, 1)
  expect(turns(t)).toBe(1)
  await t.prompt("and now")
  expect(turns(t)).toBe(2)
})
