/** Ends from outside: signals to the program, and a client that gives up. The session can be resumed afterwards. */

import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isRunning } from "../../kit/is-running.ts"
import { bash, calls } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { openWorld, resultOf, withBoth, type World } from "./drive.ts"
import { processesIn } from "./processes.ts"
import { initialize, isAnswerTo, isResult, openWire, user } from "./wire.ts"

const slow = { content: "A long answer that takes its time.", timing: { tokensPerSecond: 4 } }
const command = "echo $$ > pid; sleep 1000"

async function begun(world: World): Promise<number> {
  const file = join(world.place.work, "pid")
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await Bun.sleep(10)
  return Number(readFileSync(file, "utf8"))
}

const moments = [
  { name: "while it waits for a message", scenario: ["Fine."], begins: false, running: false },
  { name: "while the model answers", scenario: [slow, "Fine."], begins: true, running: false },
  { name: "while a command runs", scenario: [calls(bash(command)), "Fine."], begins: true, running: true },
]

describe("signals", () => {
  for (const { name, scenario, begins, running } of moments)
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)
      test(`${signal} ${name}`, async () => {
        await using world = await openWorld("0.3", { scenario })
        const id = crypto.randomUUID()
        const wire = openWire(world, ["--allowedTools", "Bash", "--include-partial-messages", "--session-id", id])
        wire.send(initialize())
        await wire.next(isAnswerTo("init"))
        if (begins) {
          wire.send(user("go"))
          await wire.next(({ type }) => type === "stream_event")
        }
        const pid = running ? await begun(world) : undefined
        wire.process.kill(signal)
        expect((await wire.over()).code).toBe(code)
        if (begins) expect(wire.told.findLast(isResult)).toMatchObject({ is_error: true })
        if (pid !== undefined) expect(isRunning(pid)).toBe(false)
        expect(processesIn(world.place.path)).toEqual([])
        if (!begins) return
        const again = openWire(world, ["--resume", id])
        again.send(initialize(), user("and now?"))
        expect(await again.next(isResult)).toMatchObject({ result: "Fine.", session_id: id })
        expect((await again.end()).code).toBe(0)
      })
})

describe("a client gives up", () => {
  for (const point of ["at once", "after init", "while the model answers", "while a command runs", "while it is asked"])
    withBoth(
      point,
      async (version) => {
        // The older SDK itself fails when it gives up before it has written anything.
        if (point === "at once" && version === "0.2") return
        const first = point === "while the model answers" ? slow : calls(bash(command))
        const replies = [{ when: { lastUserText: "and now?" }, content: "Fine." }, first]
        await using world = await openWorld(version, { scenario: { replies } })
        const gaveUp = new AbortController()
        const id = crypto.randomUUID()
        const chat = openChat(world, {
          abortController: gaveUp,
          includePartialMessages: true,
          sessionId: id,
          ...(point === "while a command runs" && { allowedTools: ["Bash"] }),
          ...(point === "while it is asked" && {
            canUseTool: () => {
              gaveUp.abort()
              return new Promise(() => {})
            },
          }),
        })
        if (point === "at once") gaveUp.abort()
        else chat.stream.say("go")
        if (point === "after init") {
          await chat.next(({ subtype }) => subtype === "init")
          gaveUp.abort()
        }
        if (point === "while the model answers") {
          await chat.next(({ type }) => type === "stream_event")
          gaveUp.abort()
        }
        const pid = point === "while a command runs" ? await begun(world) : undefined
        if (pid !== undefined) gaveUp.abort()
        const told = await chat.end()
        expect(told.thrown).toMatch(/abort/i)
        while (processesIn(world.place.path).length > 0) await Bun.sleep(20)
        if (pid !== undefined) expect(isRunning(pid)).toBe(false)
        if (point === "at once") return
        const again = await world.run("and now?", { resume: id })
        expect(resultOf(again)).toMatchObject({ result: "Fine.", session_id: id })
      },
      "both",
    )
})

withBoth("closing a query ends its process", async (version) => {
  await using world = await openWorld(version, { scenario: [calls(bash(command))] })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("go")
  const pid = await begun(world)
  chat.query.close()
  await chat.end()
  while (processesIn(world.place.path).length > 0) await Bun.sleep(20)
  expect(isRunning(pid)).toBe(false)
})
