/** Background sessions whose host is killed all the time: all end, every effect happens once, and every question is asked and answered once. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { textOf } from "#agent/words/message.ts"
import { seededIds } from "#lib/ids.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { linesIn, openBackgroundWorld } from "../../kit/background-world.ts"
import { isRunning } from "../../kit/is-running.ts"

setDefaultTimeout(1_200_000)

const sessions = Number(process.env["CODEWRIGHT_BACKGROUND_SESSIONS"] ?? 6)
const kills = Number(process.env["CODEWRIGHT_BACKGROUND_KILLS"] ?? 4)

/** Two commands that must each be allowed, then an answer; by what the conversation has already. */
const model: ScenarioFunction = ({ body }) => {
  const text = JSON.stringify(body.messages)
  const task = /task (\d+)/.exec(text)?.[1] ?? "?"
  const step = [...text.matchAll(/"type":"tool_use"/g)].length + 1
  if (step > 2) return { content: "Done." }
  return {
    content: [{ tool: "Bash", input: { command: `echo '${task} ${step}' >> effects.txt`, description: "Note" } }],
  }
}

test("every session ends, whatever is killed", async () => {
  await using world = await openBackgroundWorld(model)
  const { place } = world
  const ids: string[] = []
  for (let task = 1; task <= sessions; task++) ids.push(await world.start(`task ${task}`))
  const { random } = seededIds(7)
  const hosts = new Set<number>()
  let killed = 0
  const isOver = (id: string): boolean => ["done", "failed", "stopped"].includes(world.progress(id).state)
  while (!ids.every(isOver)) {
    const pid = world.host()
    if (pid !== undefined) hosts.add(pid)
    if (pid === undefined) await world.run("agents")
    else if (killed < kills && random() < 0.2) {
      killed++
      process.kill(pid, "SIGKILL")
    }
    for (const id of ids) await world.answer(id)
    await Bun.sleep(20 + random() * 60)
  }
  await world.ended()

  expect(ids.map((id) => world.progress(id).state)).toEqual(ids.map(() => "done"))
  expect(killed).toBeGreaterThan(0)
  const effects = linesIn(place, "effects.txt")
  expect(new Set(effects).size).toBe(effects.length)
  for (const [nth, id] of ids.entries()) {
    const entries = world.entries(id)
    const prompts = entries.flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.content)] : []))
    expect(prompts.filter((text) => text === `task ${nth + 1}`)).toHaveLength(1)
    const asked = entries.flatMap((entry) => (entry.kind === "question" ? [entry.question.id] : []))
    const answered = entries.flatMap((entry) => (entry.kind === "answer" ? [entry.questionId] : []))
    expect(new Set(asked).size).toBe(asked.length)
    expect(answered.toSorted()).toEqual(asked.toSorted())
    for (const step of [1, 2]) {
      const call = entries.filter((entry) => entry.kind === "result")[step - 1]
      // Killed between its intent and its result, it is told as perhaps done, and not repeated.
      if (call && !call.isError) expect(effects).toContain(`${nth + 1} ${step}`)
    }
  }
  expect([...hosts].filter(isRunning)).toEqual([])
})
