/** A team that goes on: after the lead was closed, after everything was killed, and to its end in a script. */

import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { readTeamOverview } from "#team/overview.ts"
import { systemClock } from "#lib/clock.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast, logOf } from "../subagents/cast.ts"
import { add, allIdle, attached, create, done, heard, look, member, openTeamSession, send } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

const oks = Array.from({ length: 20 }, () => heard)

describe("the lead is opened again", () => {
  test("members are started again with their logs, keep their task, and read their mail where they were", async () => {
    await using t = await openTeamSession({
      script: cast({
        main: [
          calls(create),
          calls(add("long")),
          calls(member("ann"), member("bob")),
          calls(bash("while [ ! -e on ]; do sleep 0.02; done"), send("bob", "one")),
          says("Later."),
          ...oks,
        ],
        ann: [
          calls(bash("touch on; while [ ! -e go ]; do sleep 0.02; done")),
          calls(done("1")),
          says("The long task is done."),
        ],
        bob: [says("Ready."), says("One."), calls(bash("touch two.seen")), says("Two.")],
      }),
    })
    await t.prompt("go")
    await until(async () => attached(await logOf(t, "bob"), "teammate_message").length === 1)
    await allIdle(t, 3, ["bob"])
    const before = await look(t)
    await using again = await t.reopen()
    expect(before?.tasks).toMatchObject([{ status: "in_progress", owner: "ann", attempts: 0 }])
    await until(async () => attached(await logOf(again, "ann"), "team_news").length > 0)
    expect(attached(await logOf(again, "ann"), "team_news")[0]).toStartWith(
      "The program was restarted, and your last turn broke off. #1 is still yours.",
    )
    await Bun.write(t.path("go"), "")
    await until(async () => (await look(again))?.tasks.every(({ status }) => status === "completed"))
    await allIdle(again, 3)
    await again.settled()
    expect((await look(again))?.tasks).toMatchObject([{ owner: "ann", attempts: 0 }])
    // Nothing came twice.
    expect(attached(await logOf(again, "bob"), "teammate_message")).toHaveLength(1)
    const reports = attached(again.entries(), "teammate_message")
    expect(reports.filter((text) => text.includes("Ready."))).toHaveLength(1)
    expect(reports.filter((text) => text.includes("The long task is done."))).toHaveLength(1)
  })
})

test("a lead that is opened again and has nothing to do is idle", async () => {
  await using t = await openTeamSession({ script: cast({ main: [calls(create), says("A team.")] }) })
  await t.prompt("go")
  await using again = await t.reopen()
  await until(() => again.ask({ type: "team" }))
  await until(async () => (await look(again))?.members.some(({ name, state }) => name === "lead" && state === "idle"))
})

describe("the program", () => {
  const argv = ["-p", "go", "--output-format", "json", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"]

  test("a script ends when all work of the team is done, and says so", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv,
      scenario: cast({
        main: [
          calls(create),
          calls(add("one"), add("two", { blockedBy: ["1"] })),
          calls(member("ann"), member("bob")),
          says("They work."),
          ...oks,
        ],
        ann: [says("Ready."), ...Array.from({ length: 2 }, () => [byTask, says("Done.")]).flat()],
        bob: [says("Ready."), ...Array.from({ length: 2 }, () => [byTask, says("Done.")]).flat()],
      }),
    })
    expect(run.stderr).toBe("")
    expect(run.code).toBe(0)
    const shown = await readTeamOverview(place.state, "crew", systemClock)
    expect(shown?.tasks.map(({ status }) => status)).toEqual(["completed", "completed"])
    // The lead has heard everything.
    expect(shown?.mail.filter(({ to, deliveredAt }) => to === "lead" && deliveredAt === undefined)).toEqual([])
  })

  test("killed in the middle, it goes on with -c: nothing is done twice, nothing is lost", async () => {
    using place = openPlace()
    const scenario = cast({
      main: [
        calls(create),
        calls(add("one")),
        calls(member("ann")),
        calls(bash("touch leading; while [ ! -e never ]; do sleep 0.05; done")),
        ...oks,
      ],
      ann: [
        calls(bash("echo begun >> log.txt; touch begun; while [ ! -e go ]; do sleep 0.05; done")),
        calls(bash("echo done >> log.txt"), done("1")),
        says("All done."),
      ],
    })
    const killed = await runCodewright({
      place,
      argv,
      scenario,
      async during({ kill }) {
        await until(() => Bun.file(`${place.work}/begun`).exists())
        await until(() => Bun.file(`${place.work}/leading`).exists())
        kill("SIGKILL")
      },
    })
    expect(killed.code).not.toBe(0)
    expect((await readTeamOverview(place.state, "crew", systemClock))?.tasks).toMatchObject([
      { status: "in_progress", owner: "ann" },
    ])
    await Bun.write(`${place.work}/go`, "")
    const run = await runCodewright({ place, argv: ["-c", ...argv], scenario })
    expect(run.code).toBe(0)
    const shown = await readTeamOverview(place.state, "crew", systemClock)
    expect(shown?.tasks).toMatchObject([{ status: "completed", owner: "ann", attempts: 0 }])
    expect(await place.read("log.txt")).toBe("begun\ndone\n")
    expect(shown?.mail.map(({ text }) => text)).toEqual(["#1 one: completed", "All done."])
  })
})

/** Sets the task completed that the last message gave. */
const byTask: Parameters<typeof cast>[0][string][number] = (request) => {
  const [, id] = /Task #(\d+) of the team is yours/.exec(JSON.stringify(request.messages.at(-1))) ?? []
  return id === undefined ? says("Nothing for me.") : calls(done(id))
}
