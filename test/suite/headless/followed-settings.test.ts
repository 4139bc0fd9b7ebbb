/** Settings and variables of the ecosystem that the program follows, seen in what it sends; the rest is named at start. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

setDefaultTimeout(300_000)

const settingsFile = (place: ReturnType<typeof openPlace>): string => join(place.state, "settings.json")

test.concurrent(
  "language, agent, effort and the budget of the settings count; what has no effect is named in one line",
  async () => {
    using place = openPlace()
    place.write(join(place.state, "agents/poet.md"), "---\nname: poet\ndescription: Poems.\n---\nYou are a poet.\n")
    place.write(
      settingsFile(place),
      JSON.stringify({
        language: "Portuguese",
        agent: "poet",
        effortLevel: "low",
        showThinkingSummaries: false,
        budget: { usd: 3 },
        teams: {},
        forceLoginMethod: "x",
      }),
    )
    const run = await runCodewright({ place, argv: ["-p", "hello"], scenario: ["ok"] })
    expect(run.code).toBe(0)
    const { system, thinking, output_config } = Object(run.requests[0]?.body)
    const text = JSON.stringify(system)
    expect(text).toContain("You are a poet.")
    expect(text).toContain("Answer the user in Portuguese")
    expect([thinking, output_config]).toEqual([{ type: "adaptive" }, { effort: "low" }])
    expect(run.stderr).toContain("Settings without effect in this version: forceLoginMethod, teams.")
  },
)

test.concurrent(
  "an agent that the settings name and that there is not is said, and the session starts without it",
  async () => {
    using place = openPlace()
    place.write(settingsFile(place), JSON.stringify({ agent: "nobody" }))
    const run = await runCodewright({ place, argv: ["-p", "hello"], scenario: ["ok"] })
    expect(run.code).toBe(0)
    expect(run.stderr).toContain(
      "The setting agent names nobody, which does not exist. This session uses the main agent.",
    )
  },
)

test.concurrent("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR starts every command in the project", async () => {
  using place = openPlace()
  place.write(join(place.work, "below/a.txt"), "a")
  const cd = { content: [{ tool: "Bash", input: { command: "cd below" } }] }
  const list = { content: [{ tool: "Bash", input: { command: "ls" } }] }
  const argv = ["-p", "go", "--allowed-tools", "Bash"]
  const run = await runCodewright({
    place,
    argv,
    scenario: [cd, list, "ok"],
    env: { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1" },
  })
  const sent = JSON.stringify(run.requests.at(-1)?.body)
  expect(sent).toContain("every command starts there")
  expect(sent).toContain('below"')
  expect(sent).not.toContain("a.txt")
})

test.concurrent("--effort is checked, and counts more than the settings", async () => {
  using place = openPlace()
  place.write(settingsFile(place), JSON.stringify({ effortLevel: "low" }))
  const wrong = await runCodewright({ place, argv: ["-p", "hello", "--effort", "huge"], scenario: ["ok"] })
  expect(wrong.code).not.toBe(0)
  expect(wrong.stderr).toContain("xhigh")
  const run = await runCodewright({ place, argv: ["-p", "hello", "--effort", "max"], scenario: ["ok"] })
  expect(Object(run.requests[0]?.body).output_config).toEqual({ effort: "max" })
})

test.concurrent("--max-budget-tokens stops before the request that could pass it", async () => {
  using place = openPlace()
  const run = await runCodewright({ place, argv: ["-p", "hello", "--max-budget-tokens", "100"], scenario: ["ok"] })
  expect(run.code).toBe(1)
  expect(run.requests).toEqual([])
  expect(run.stderr + run.stdout).toContain("and 100 tokens are left")
})

test.concurrent("skillListingBudgetFraction limits the list of skills, and a wrong one is named", async () => {
  using place = openPlace()
  for (const name of ["one", "two", "three"])
    place.write(
      join(place.state, `skills/${name}/SKILL.md`),
      `---\ndescription: ${`words about ${name} `.repeat(100)}\n---\nx`,
    )
  const listed = async (fraction: number | undefined) => {
    place.write(
      settingsFile(place),
      JSON.stringify({ skipDangerousModePermissionPrompt: true, skillListingBudgetFraction: fraction }),
    )
    const run = await runCodewright({ place, argv: ["-p", "hello"], scenario: ["ok"] })
    expect(run.code).toBe(0)
    const text = JSON.stringify(Object(run.requests[0]?.body).messages)
    return { about: text.split("words about").length - 1, stderr: run.stderr }
  }
  const usual = await listed(undefined)
  expect(usual.about).toBeGreaterThan(150)
  expect(usual.stderr).not.toContain("skipDangerousModePermissionPrompt")
  const small = await listed(0.001)
  expect(small.about).toBeLessThan(40)
  expect(small.stderr).not.toContain("skillListingBudgetFraction")
  const wrong = await listed(7)
  expect(wrong.about).toBe(usual.about)
  expect(wrong.stderr).toContain("skillListingBudgetFraction")
})
