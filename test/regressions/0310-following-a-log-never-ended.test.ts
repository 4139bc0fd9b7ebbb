/**
 * A prompt leaves the file of its session a moment after its turn is in the log. Whoever read the end of the turn in between followed the log
 * forever, and kept a processor busy meanwhile.
 */

import { expect, setDefaultTimeout, test } from "bun:test"
import { openJobs } from "#fleet/background/jobs.ts"
import { openBackgroundWorld } from "../kit/background-world.ts"

setDefaultTimeout(300_000)

test("it ends once the prompt has left its file", async () => {
  await using world = await openBackgroundWorld(() => ({ content: "All done." }))
  const id = await world.start("the task", "--name", "mine")
  await world.until(id, "done")
  await world.ended()
  const [prompt] = world.entries(id).flatMap((entry) => (entry.kind === "prompt" ? [entry] : []))
  openJobs(world.place.state, process.pid).addPrompt(id, { id: prompt?.promptId ?? "", text: "the task" })
  const followed = await world.run("logs", "mine", "--follow")
  expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining("All done.") as string })
})
