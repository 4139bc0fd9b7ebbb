/** Plan mode on a real screen: in by a command or a key, the plan edited, sent back, approved, or begun anew with nothing but it. */

import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openScreenRun, type ScreenRun } from "../../kit/open-screen.ts"
import { openPlace, type Place } from "../../kit/run-codewright.ts"
import { bodyOf, resultIn, sentIn, talkIn } from "../../kit/sent.ts"
import { calls, says, use, write } from "../../kit/script.ts"

const enter = "\r"
const idle = "Ask anything · @ for files · / for commands"

/** Plans whenever plan mode was just told of, presents the plan again after each no, and writes a file after a yes. */
const planner: ScenarioFunction = ({ messages }) => {
  const said = JSON.stringify(messages.at(-1))
  const file = /plan file is (\S+?\.md)/.exec(JSON.stringify(messages))?.[1] ?? ""
  if (said.includes("did not approve the plan and says")) return calls(use("ExitPlanMode", {}))
  if (said.includes("The user approved the plan") || said.includes("Carry out this plan"))
    return calls(write("built.txt", "built\n"))
  if (said.includes("Plan mode is on")) return calls(write(file, "# The way\n\n1. Build it\n"))
  return said.includes(file) && file !== "" && said.includes("tool_result") && !said.includes("built")
    ? calls(use("ExitPlanMode", {}))
    : says("All is done.")
}

const planOf = (place: Place): string => {
  const folder = join(place.state, "plans")
  const name = readdirSync(folder).find((each) => each.endsWith(".md"))
  return readFileSync(join(folder, name ?? ""), "utf8")
}

/** Presses when a person could have read the question. */
async function decide(run: ScreenRun, keys: string): Promise<string> {
  const shown = await run.asks("Approve this plan?")
  run.type(keys)
  return shown
}

test.concurrent(
  "asked for with words, edited by hand, sent back, and approved: what the person wrote stays",
  async () => {
    using place = openPlace()
    const editor = place.write(join(place.home, "editor.sh"), '#!/bin/sh\necho "2. Test it, too" >> "$1"\n')
    await using run = await openScreenRun({
      place,
      argv: [],
      env: { EDITOR: `sh ${editor}` },
      scenario: planner,
    })
    await run.shows(idle)
    run.type(`/plan build it${enter}`)
    await decide(run, "\u0007")
    await run.asks(/edited by\s(▌ )?you/)
    run.type("\u001b[B\u001b[B\t")
    run.type("name the files")
    await run.shows("name the files▏")
    run.type(enter)
    await run.shows("Declined: name the files")
    expect(planOf(place)).toBe("# The way\n\n1. Build it\n2. Test it, too\n")
    const shown = await decide(run, "1")
    expect(shown).toContain("Test it, too")
    await run.shows("Approved · ")
    await run.shows("All is done.")
    const all = await run.shows(idle)
    // As it was approved, once; nothing of it before, where it was sent back and where it was written.
    expect(all.match(/Test it, too/g)).toHaveLength(1)
    expect(all.match(/Build it/g)).toHaveLength(1)
    expect(all).not.toContain("file created")
    expect(readFileSync(join(place.work, "built.txt"), "utf8")).toBe("built\n")
    expect(run.requests.map(resultIn).join("\n")).toContain("They edited the text in")
    run.type(`/exit${enter}`)
    expect(await run.exited).toBe(0)
  },
)

test.concurrent("by the key, and begun anew: the model has nothing but the plan", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [], scenario: planner })
  await run.shows(idle)
  run.type("\u001b[Z")
  await run.shows("accept edits")
  run.type("\u001b[Z")
  await run.shows("plan · ")
  run.type(`a secret way to build it${enter}`)
  await decide(run, "4")
  await run.shows("[x] Start with a fresh context")
  run.type("1")
  await run.shows("All is done.")
  await run.shows(idle)
  expect(existsSync(join(place.work, "built.txt"))).toBe(true)
  const last = run.requests.at(-1)
  expect(talkIn(last)[0]).toContain("Carry out this plan, which I approved.")
  expect(JSON.stringify(bodyOf(last).messages)).not.toContain("a secret way")
  expect(sentIn(last).messages.length).toBeLessThan(8)
  run.type(`/exit${enter}`)
  expect(await run.exited).toBe(0)
})
