/** A scheduled run begins once, although the host of background sessions is killed before and after its time. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { openBackgroundWorld } from "../kit/background-world.ts"
import { bash, calls, says } from "../kit/script.ts"

setDefaultTimeout(300_000)

test("it runs once, with its goal, and is over", async () => {
  await using world = await openBackgroundWorld((request) => {
    // Again after a kill that came before the command had run.
    const last = JSON.stringify(request.messages.at(-1))
    return last.includes("does not hold yet") ? calls(bash("touch done")) : says("I think so.")
  })
  const { place, run } = world
  const flags = ["--goal", "$ test -f done", "--allowed-tools", "Bash", "--json"]
  const added = await run("schedule", "add", "--at", "3s", ...flags, "--", "Make the file")
  expect(added).toMatchObject({ code: 0, stderr: "" })
  const { id } = JSON.parse(added.stdout) as { id: string }
  while (world.host() === undefined) await Bun.sleep(20)
  process.kill(world.host() ?? 0, "SIGKILL")
  await world.ended()
  const listed = JSON.parse((await run("schedule", "list", "--json")).stdout) as { id: string; runs: number }[]
  expect(listed).toMatchObject([{ id, runs: 0 }])

  // Any start of the program brings the host back; the time has come by then.
  await Bun.sleep(3_000)
  expect((await run("-p", "Hello", "--no-session-persistence")).code).toBe(0)
  const sessions = (): readonly string[] => [
    ...new Bun.Glob("projects/*/*.jsonl").scanSync({ cwd: place.state, absolute: true }),
  ]
  while (sessions().length === 0) await Bun.sleep(20)
  const [path = ""] = sessions()
  const session = path.replace(/^.*\/|\.jsonl$/g, "")
  if (world.host() !== undefined) process.kill(world.host() ?? 0, "SIGKILL")
  await world.ended()
  expect((await run("-p", "Hello", "--no-session-persistence")).code).toBe(0)
  await world.until(session, "done")
  await world.ended()

  expect(sessions()).toHaveLength(1)
  const entries = world.entries(session)
  const prompts = entries.flatMap((entry) => (entry.kind === "prompt" ? JSON.stringify(entry.content) : []))
  expect(prompts.filter((text) => text.includes("Make the file"))).toHaveLength(1)
  expect(entries.findLast((entry) => entry.kind === "goal")).toMatchObject({ state: "held" })
  expect(entries.filter((entry) => entry.kind === "goal" && entry.checks === 0)).toHaveLength(1)
  expect(JSON.parse((await run("schedule", "list", "--json")).stdout)).toEqual([])
})

test("what cannot be scheduled is said at once", async () => {
  await using world = await openBackgroundWorld(() => says("Never."))
  const { run } = world
  expect((await run("schedule", "add", "look")).stderr).toContain("one of --at, --every and --cron")
  expect((await run("schedule", "add", "--cron", "0 0 31 2 *", "look")).stderr).toContain("There is no day")
  expect((await run("schedule", "remove", "nothing")).stderr).toContain("There is no schedule nothing")
  expect(world.host()).toBeUndefined()
})
