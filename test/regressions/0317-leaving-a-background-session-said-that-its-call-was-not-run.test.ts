/** Who left a background session while it asked read "Bash ... · not run", though the question still waits. */

import { expect, test } from "bun:test"
import { openBackgroundWorld } from "../kit/background-world.ts"
import { openScreenRun } from "../kit/open-screen.ts"
import { controlD } from "../kit/open-terminal.ts"

test("an attached session that is left says how to open it again, and nothing about what continues", async () => {
  await using world = await openBackgroundWorld(({ body }) =>
    JSON.stringify(body.messages).includes("tool_result")
      ? { content: "Done." }
      : { content: [{ tool: "Bash", input: { command: "touch made.txt", description: "Make a file" } }] },
  )
  const id = await world.start("go")
  await world.until(id, "waiting")
  {
    await using run = await openScreenRun({
      place: world.place,
      argv: ["attach", id],
      env: { ANTHROPIC_BASE_URL: world.simulator.url },
    })
    await run.asks("Run this command?")
    run.type(controlD)
    expect(await run.exited).toBe(0)
    // The command is as long as the path of the program, and may be cut into rows.
    const all = (await run.terminal.all()).replaceAll(/\s+/g, " ")
    expect(all).toContain(`--resume ${id}`)
    expect(all).toContain("Open it again with:")
    expect(all).not.toContain("not run")
  }
  await world.run("sessions", "answer", id, "--allow")
  await world.until(id, "done")
})
