/** Members of a team in one process: they take tasks, write to each other, report, and are asked to leave. */

import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { bash, calls, says, use } from "../../kit/script.ts"
import { cast, logOf, requestsOf, resultsOf } from "../subagents/cast.ts"
import { add, allIdle, attached, create, done, heard, look, member, upon, openTeamSession, send } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

describe("a team", () => {
  test("members take tasks in order, finish them and report; the lead is told", async () => {
    await using t = await openTeamSession({
      script: cast({
        main: [
          calls(create),
          calls(add("the parser"), add("the tests", { blockedBy: ["1"] })),
          calls(member("ann")),
          says("They work."),
          says("Good."),
          says("All done."),
          says("All done."),
        ],
        ann: [
          says("I am ready."),
          calls(done("1")),
          says("The parser is written."),
          calls(done("2")),
          says("The tests pass."),
        ],
      }),
    })
    await t.prompt("build it")
    await until(async () => (await look(t))?.tasks.every(({ status }) => status === "completed"))
    await allIdle(t, 2)
    await t.settled()
    expect(resultsOf(t, "TeamCreate")[0]).toStartWith("You lead the team crew; your name in it is lead.")
    expect(resultsOf(t, "Task")[0]).toMatch(
      /^ann is in the team crew now \(general-purpose agent [0-9a-f]{8}\)\. It shares your folder, because a worktree needs a git repository/,
    )
    const own = await logOf(t, "ann")
    expect(attached(own, "team_task").map((text) => text.split("\n")[2])).toEqual(["#1 the parser", "#2 the tests"])
    const told = [...attached(t.entries(), "teammate_message"), ...attached(t.entries(), "task_notification")]
    expect(told).toEqual([
      expect.stringContaining("I am ready."),
      expect.stringContaining("The parser is written."),
      expect.stringContaining("The tests pass."),
      expect.stringContaining("#1 the parser: completed"),
      expect.stringContaining("#2 the tests: completed"),
    ])
    expect(told[0]).toMatch(
      /^<teammate-message from="ann" seq="\d+" summary="Report: I am ready\.">\nI am ready\.\n<\/teammate-message>$/,
    )
    const shown = await look(t)
    expect(shown?.members.map(({ name, state }) => [name, state])).toEqual([
      ["lead", "idle"],
      ["ann", "idle"],
    ])
  })

  test("tools for the team appear with it, and a session without one has only the one that makes it", async () => {
    await using t = await openTeamSession({
      script: cast({ main: [calls(create), says("ok")] }),
    })
    await t.prompt("a team")
    const [first, second] = requestsOf(t, "team").map(({ tools }) =>
      (tools as { name: string }[]).map(({ name }) => name),
    )
    const added = ["TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "SendMessage", "TeamDelete"]
    expect(first).toContain("TeamCreate")
    expect(added.filter((name) => first?.includes(name))).toEqual([])
    expect(added.filter((name) => second?.includes(name))).toEqual(added)
  })

  test("messages are delivered at the next step, and answered with their number", async () => {
    await using t = await openTeamSession({
      script: cast({
        main: [
          calls(create),
          calls(member("ann"), member("bob")),
          says("They talk."),
          says("ok"),
          says("ok"),
          says("ok"),
          says("ok"),
        ],
        ann: [calls(send("bob", "Which port?", { summary: "the port" })), says("I asked bob."), says("Thanks.")],
        bob: upon(
          "Which port?",
          (request) => {
            const [, seq = "0"] = /from=\\?"ann\\?" seq=\\?"(\d+)/.exec(JSON.stringify(request.messages.at(-1))) ?? []
            return calls(send("ann", "Port 80.", { answers: Number(seq) }), send("eve", "hello"))
          },
          says("I told ann."),
        ),
      }),
    })
    await t.prompt("go")
    await until(async () => attached(await logOf(t, "ann"), "teammate_message").length > 0)
    await allIdle(t, 2)
    await t.settled()
    expect(attached(await logOf(t, "bob"), "teammate_message")).toEqual([
      expect.stringMatching(/^<teammate-message from="ann" seq="\d+" summary="the port">\nWhich port\?\n/),
    ])
    expect(attached(await logOf(t, "ann"), "teammate_message")).toEqual([
      expect.stringMatching(/^<teammate-message from="bob" seq="\d+" answers="\d+">\nPort 80\.\n/),
    ])
    const results = (await logOf(t, "bob")).flatMap((entry) =>
      entry.kind === "result" && entry.tool === "SendMessage" ? [entry.content] : [],
    )
    expect(results).toEqual([
      expect.stringMatching(/^Message \d+ is in the mailbox of ann; it is next\.$/),
      "There is no member eve. In the team: lead, ann, bob.",
    ])
  })

  test("a member that is asked to leave answers and leaves; then the team can be ended", async () => {
    await using t = await openTeamSession({
      script: cast({
        main: [
          calls(create),
          calls(member("ann")),
          calls(bash("while [ ! -e on ]; do sleep 0.02; done"), use("TeamDelete", {})),
          calls(send("ann", "Please leave.", { type: "shutdown_request" }), bash("touch go")),
          says("I wait."),
          ...Array.from({ length: 9 }, () => heard),
        ],
        ann: [
          calls(bash("touch on; while [ ! -e go ]; do sleep 0.02; done")),
          (request) => {
            expect(JSON.stringify(request.messages.at(-1))).toContain("type shutdown_response, answers 1")
            return calls(send("lead", "Bye.", { type: "shutdown_response", approve: true, answers: 1 }))
          },
          says("Gone."),
        ],
      }),
    })
    await t.prompt("go")
    await until(async () => (await look(t))?.members.some(({ name, state }) => name === "ann" && state === "gone"))
    await t.settled()
    expect(resultsOf(t, "TeamDelete")).toEqual([
      "Still at work: ann. Send them a shutdown_request first, or wait for them.",
    ])
    await until(() => attached(t.entries(), "teammate_message").length === 3)
    await t.prompt("end it now")
    expect(await look(t)).toBeUndefined()
    expect(t.entries().filter((entry) => entry.kind === "team")).toMatchObject([{ team: "crew" }, { over: true }])
  })
})
