/** Messages between background sessions, as the real program sends them, also while the host is killed. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { seededIds } from "#lib/ids.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { type BackgroundWorld, openBackgroundWorld } from "../../kit/background-world.ts"

setDefaultTimeout(1_200_000)

const kills = Number(process.env["CODEWRIGHT_BACKGROUND_KILLS"] ?? 4)

/** `ask <name>` writes to that session, again if a kill came before; one that is written to answers; whoever is told what came of it says so. */
const model: ScenarioFunction = ({ body }) => {
  const text = JSON.stringify(body.messages)
  if (text.includes("<session-report")) return { content: "Told." }
  if (text.includes("<session-message")) return { content: "The answer is 42." }
  const [, to] = /ask (\w+)/.exec(text) ?? []
  const calls = text.split('"type":"tool_use"').length - 1
  const notRun = text.split("Not run: ").length - 1
  if (to === undefined || calls > notRun) return { content: "Nothing to do." }
  return { content: [{ tool: "MessageSession", input: { to, message: "What is the answer?" } }] }
}

const attached = (world: BackgroundWorld, id: string, name: string): readonly string[] =>
  world.entries(id).flatMap((entry) => (entry.kind === "attachment" && entry.name === name ? [entry.text] : []))

test("one asks before it writes to another, which wakes, answers, and is not taken for the user", async () => {
  await using world = await openBackgroundWorld(model)
  const reader = await world.start("be there", "--name", "reader")
  await world.until(reader, "done")
  const writer = await world.start("ask reader", "--name", "writer")
  await world.until(writer, "waiting")
  await world.ended()
  const listed = JSON.parse((await world.run("agents", "--json")).stdout)
  expect(listed.sessions[0]).toMatchObject({ id: writer, pending: [{ action: { tool: "MessageSession" } }] })
  expect(await world.run("sessions", "answer", writer, "--allow")).toMatchObject({ code: 0 })
  while (!JSON.stringify(world.entries(writer)).includes("Told.")) await Bun.sleep(20)
  await world.ended()
  expect(attached(world, reader, "session_message")).toEqual([expect.stringContaining("What is the answer?")])
  expect(attached(world, writer, "session_report")).toEqual([expect.stringContaining("The answer is 42.")])
  expect(world.entries(reader).filter(({ kind }) => kind === "prompt")).toHaveLength(1)
  expect((await world.run("logs", "reader")).stdout).toContain("Message from another session: writer in ")
})

test("the shell can write, too; with the setting off nobody can", async () => {
  await using world = await openBackgroundWorld(model)
  const reader = await world.start("be there", "--name", "reader")
  await world.until(reader, "done")
  await world.ended()
  expect(await world.run("agents", "send", "reader", "hello", "there")).toMatchObject({ code: 0, stderr: "" })
  while (!JSON.stringify(world.entries(reader)).includes("The answer is 42.")) await Bun.sleep(20)
  await world.ended()
  expect(attached(world, reader, "session_message")).toEqual([expect.stringContaining("\nhello there\n")])
  expect(await world.run("agents", "send", "nobody", "hello")).toMatchObject({ code: 1 })
  world.place.write("../state/settings.json", JSON.stringify({ sessionMessages: "off" }))
  const refused = await world.run("agents", "send", "reader", "again")
  expect(refused.stderr).toContain("sessionMessages")
  const mute = await world.start("be there", "--name", "mute")
  await world.until(mute, "done")
  expect(JSON.stringify(world.simulator.requests.at(-1)?.body)).not.toContain("MessageSession")
})

test("whatever is killed, each message arrives once and its sender is told once", async () => {
  await using world = await openBackgroundWorld(model)
  const allowed = ["--allowed-tools", "MessageSession"] as const
  const readers: string[] = []
  const writers: string[] = []
  for (const nth of [1, 2, 3]) {
    readers.push(await world.start("be there", "--name", `reader${nth}`, ...allowed))
    writers.push(await world.start(`ask reader${nth}`, "--name", `writer${nth}`, ...allowed))
  }
  const { random } = seededIds(11)
  let killed = 0
  const isTold = (id: string): boolean => JSON.stringify(world.entries(id)).includes("Told.")
  while (!writers.every(isTold)) {
    const pid = world.host()
    if (pid === undefined) await world.run("agents")
    else if (killed < kills && random() < 0.15) {
      killed++
      process.kill(pid, "SIGKILL")
    }
    await Bun.sleep(20 + random() * 60)
  }
  await world.ended()
  for (const id of readers) expect(attached(world, id, "session_message")).toHaveLength(1)
  for (const id of writers) expect(attached(world, id, "session_report")).toHaveLength(1)
})

test("a script writes only where a rule allows it, and is told nothing of it otherwise", async () => {
  await using world = await openBackgroundWorld(model)
  const reader = await world.start("be there", "--name", "reader")
  await world.until(reader, "done")
  await world.ended()
  expect(await world.run("-p", "hello")).toMatchObject({ code: 0 })
  expect(JSON.stringify(world.simulator.requests.at(-1)?.body)).not.toMatch(/MessageSession|ListSessions|"Workflow"/)
  const asked = await world.run("-p", "ask reader", "--allowed-tools", "MessageSession")
  expect(asked).toMatchObject({ code: 0, stdout: "Nothing to do.\n" })
  while (!JSON.stringify(world.entries(reader)).includes("The answer is 42.")) await Bun.sleep(20)
  await world.ended()
  expect(attached(world, reader, "session_message")).toEqual([expect.stringContaining("What is the answer?")])
})
