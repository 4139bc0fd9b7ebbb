/** A goal of a script is reached, or given up by its limit, also when the program was killed in the middle. */

import { expect, test } from "bun:test"
import { loadLog } from "#ground/transcript/load.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { environmentOf, openPlace, program, type Place } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"

const goal = "$ test -f one && test -f two"

/** Each request counts, over all processes. */
async function openStory(place: Place, replies: readonly ScenarioReply[]) {
  let asked = 0
  const reached = new Map<number, () => void>()
  const opened = await openSimulator({
    scenario: () => {
      reached.get(++asked)?.()
      return replies[asked - 1] ?? says("Nothing left to say.")
    },
  })
  if (!opened.ok) throw new Error(opened.failure.message)
  const env = environmentOf(place, opened.value.url)
  const run = (...argv: readonly string[]) =>
    Bun.spawn([program, "-p", ...argv, "--allowed-tools", "Bash", "--output-format", "json"], {
      cwd: place.work,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
  return {
    run,
    until: (count: number) => new Promise<void>((found) => (asked >= count ? found() : reached.set(count, found))),
    [Symbol.asyncDispose]: () => opened.value.close(),
  }
}

function logIn(place: Place) {
  const [path = ""] = [...new Bun.Glob("projects/*/*.jsonl").scanSync({ cwd: place.state, absolute: true })]
  const loaded = loadLog(path)
  if (!loaded.ok) throw new Error(loaded.failure.kind)
  return loaded.value.entries
}

const three = `${goal} && test -f three`

test("three rounds with a kill -9 between them end by the check", async () => {
  using place = openPlace()
  await using story = await openStory(place, [
    says("Done, I think."),
    calls(bash("touch one; sleep 60")),
    calls(bash("touch two")),
    says("Both."),
    calls(bash("touch three")),
    says("All."),
  ])
  const first = story.run("Make the files", "--goal", three)
  await story.until(2)
  // The command runs when the file is there.
  while (!(await Bun.file(`${place.work}/one`).exists())) await Bun.sleep(20)
  first.kill("SIGKILL")
  await first.exited

  const second = story.run("--continue", "Go on")
  const [text, code] = await Promise.all([new Response(second.stdout).text(), second.exited])
  expect({ code, goal: (JSON.parse(text) as { goal: unknown }).goal }).toEqual({
    code: 0,
    goal: { condition: three, holds: true, rounds: 3, because: "exit code 0", state: "held", steps: 6 },
  })
  expect(logIn(place).flatMap((entry) => (entry.kind === "goal" ? [entry.state] : []))).toEqual([
    "open",
    "open",
    "open",
    "held",
  ])
})

test("one that cannot hold ends by its checks, counted over the kill", async () => {
  using place = openPlace()
  place.write(".codewright/settings.json", "{}")
  await using story = await openStory(place, [says("One."), calls(bash("sleep 60")), says("Two."), says("Three.")])
  const limits = ["--settings", JSON.stringify({ goal: { maxChecks: 3 } })]
  const first = story.run("Make both files", "--goal", goal, ...limits)
  await story.until(2)
  first.kill("SIGKILL")
  await first.exited

  const second = story.run("--continue", "Go on", ...limits)
  const [text, code] = await Promise.all([new Response(second.stdout).text(), second.exited])
  expect(code).toBe(1)
  expect(JSON.parse(text)).toMatchObject({
    is_error: true,
    errors: [expect.stringContaining("The goal was not reached in 3 checks")],
    goal: { holds: false, rounds: 3, because: "exit code 1", state: "missed" },
  })
})

test("one that cannot hold ends by its money, also what was spent before the kill", async () => {
  using place = openPlace()
  const replies = Array.from({ length: 40 }, (_, i) => (i === 1 ? calls(bash("sleep 60")) : says(`Try ${i}.`)))
  await using story = await openStory(place, replies)
  const limits = ["--settings", JSON.stringify({ goal: { maxChecks: 100, maxBudgetUsd: 0.05 } })]
  const first = story.run("Make both files", "--goal", goal, ...limits)
  await story.until(2)
  first.kill("SIGKILL")
  await first.exited

  const second = story.run("--continue", "Go on", ...limits)
  const [text, code] = await Promise.all([new Response(second.stdout).text(), second.exited])
  expect(code).toBe(1)
  expect(JSON.parse(text)).toMatchObject({
    is_error: true,
    errors: [expect.stringContaining("The goal was not reached for $0.05")],
    goal: { holds: false, state: "missed" },
  })
})
