/** What was queued is never sent unseen: not after Esc, after leaving, in a new conversation, or by a script. */

import { expect, test } from "bun:test"
import { openScreenRun, type ScreenRun } from "../../kit/open-screen.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

const waits = { content: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done; touch gone" } }] }
const argv = ["work", "--allowed-tools", "Bash"]
const sent = ({ requests }: Pick<ScreenRun, "requests">): string => JSON.stringify(requests)

test("Esc puts queued prompts into the editor; what is deleted there is never sent", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv, scenario: [waits, "Flowers."] })
  await run.shows("● Bash until")
  run.type("DELETE EVERYTHING\r")
  await run.shows("+ DELETE EVERYTHING")
  run.type("\u001b")
  await run.shows("Interrupted")
  await run.shows("> DELETE EVERYTHING")
  run.type("\u0015think of flowers\r")
  await run.shows("Flowers.")
  expect(sent(run)).not.toContain("DELETE EVERYTHING")
})

test("leaving with a queue: the next run shows it in the editor and sends nothing", async () => {
  using place = openPlace()
  await using before = await openScreenRun({ place, argv, scenario: [waits] })
  await before.shows("● Bash until")
  before.type("DELETE EVERYTHING\r")
  await before.shows("+ DELETE EVERYTHING")
  before.kill("SIGKILL")
  await before.exited
  await using run = await openScreenRun({ place, argv: ["-c"], scenario: ["Flowers."] })
  await run.shows("> DELETE EVERYTHING")
  run.type("\u0015/clear\r")
  await run.shows("Started a new conversation.")
  run.type("think of flowers\r")
  await run.shows("Flowers.")
  expect(sent(run)).not.toContain("DELETE EVERYTHING")
})

test("a script that continues the conversation does not send it either, and says so", async () => {
  using place = openPlace()
  await using before = await openScreenRun({ place, argv, scenario: [waits] })
  await before.shows("● Bash until")
  before.type("DELETE EVERYTHING\r")
  await before.shows("+ DELETE EVERYTHING")
  before.kill("SIGKILL")
  await before.exited
  const run = await runCodewright({ place, argv: ["-c", "-p", "think of flowers"], scenario: ["Flowers."] })
  expect(run.stdout).toBe("Flowers.\n")
  expect(run.stderr).toContain("Not sent, still queued from an earlier run: DELETE EVERYTHING")
  expect(sent(run)).not.toContain("DELETE EVERYTHING")
})

test("commands typed while the agent works run when it is done, in their order", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv, scenario: [waits, "Went.", "And that."] })
  await run.shows("● Bash until")
  run.type("!echo mine-$((1+1))\r")
  await run.shows("+ ! echo mine")
  run.type("/clear \r")
  await run.shows("+ /clear")
  run.type("and that\r")
  await run.shows("+ and that")
  place.write("go", "")
  await run.shows("And that.")
  const all = await run.terminal.all()
  const places = ["Went.", "mine-2", "> /clear", "> and that"].map((text) => all.lastIndexOf(text))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(JSON.stringify(run.requests.at(-1))).not.toContain("Went.")
})

test("/rewind typed while the agent works opens its list when it is done", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv, scenario: [waits, "Went."] })
  await run.shows("● Bash until")
  run.type("/rewind \r")
  await run.shows("+ /rewind")
  place.write("go", "")
  await run.shows("❯ work")
})

test("what is queued behind a command with a panel waits until the panel is closed, whatever is chosen there", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv, scenario: [waits, "Went.", "And that.", "Once more."] })
  await run.shows("● Bash until")
  run.type("/rewind \r")
  await run.shows("+ /rewind")
  run.type("and that\r")
  await run.shows("+ and that")
  place.write("go", "")
  await run.asks("❯ work")
  expect(await run.terminal.screen()).toContain("+ and that")
  expect(run.requests).toHaveLength(2)
  run.type("\r")
  await run.asks("Restore files and conversation")
  run.type("2")
  await run.shows("And that.")
  const last = JSON.stringify(run.requests.at(-1))
  expect(last).toContain("and that")
  expect(last).not.toContain("Went.")
})
