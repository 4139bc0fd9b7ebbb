/** Going on with a conversation of before: chosen before the first prompt, or from within another one. */

import { expect, test } from "bun:test"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace, type Place } from "../../kit/run-codewright.ts"

async function talked(place: Place, prompt: string, answer: string): Promise<void> {
  await using run = await openScreenRun({ place, argv: [prompt], scenario: [answer] })
  await run.shows(answer)
  run.type("\u0004")
  expect(await run.exited).toBe(0)
}

test("--resume alone lists the conversations of the folder, and the chosen one goes on", async () => {
  using place = openPlace()
  await talked(place, "remember the blue door", "I shall.")
  await using run = await openScreenRun({ place, argv: ["--resume"], scenario: ["It was blue."] })
  await run.asks("Resume a conversation")
  await run.shows("❯ remember the blue door")
  run.type("blue")
  await run.shows("search: blue")
  run.type("\r")
  await run.shows("I shall.")
  await run.shows("> Ask anything · @ for files · / for commands")
  run.type("which colour was it?\r")
  await run.shows("It was blue.")
})

test("--resume alone can be left", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: ["--resume"] })
  await run.asks("No conversations in this folder yet.")
  run.type("\u001b")
  expect(await run.exited).toBe(0)
})

test("/resume leaves this conversation for another one, in the same terminal", async () => {
  using place = openPlace()
  await talked(place, "remember the blue door", "I shall.")
  await using run = await openScreenRun({ place, argv: ["hello"], scenario: ["Good day.", "It was blue."] })
  await run.shows("Good day.")
  run.type("/resume\r")
  await run.asks("Resume a conversation")
  run.type("door")
  await run.shows("❯ remember the blue door")
  await run.shows("  I shall.")
  run.type("\r")
  await run.shows(/Resume with:[^]*> remember the blue door/)
  await run.hides("Resume a conversation")
  run.type("which colour was it?\r")
  await run.shows("It was blue.")
  // The old conversation is what the model was told, and the new prompt; nothing of the one that was left.
  const last = JSON.stringify(run.requests.at(-1))
  expect(last).toContain("remember the blue door")
  expect(last).not.toContain("Good day.")
  run.type("\u0004")
  expect(await run.exited).toBe(0)
})

test("words that several conversations have leave a choice among them", async () => {
  using place = openPlace()
  await talked(place, "paint the door red", "Red it is.")
  await talked(place, "paint the door blue", "Blue it is.")
  await using run = await openScreenRun({ place, argv: ["--resume", "door"] })
  await run.asks("search: door")
  await run.shows("❯ paint the door blue")
  run.type("\u001b[B")
  await run.shows("❯ paint the door red")
  run.type("\r")
  await run.shows("Red it is.")
})
