/** One session in a terminal and an editor at once: the same events and questions, one answer, and it outlives the process that opened it. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { controlD, enter, openTerminal, type Terminal } from "../../kit/open-terminal.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { type EditorWorld, openEditor, openWorld } from "../../kit/acp/editor.ts"

const isPermission = ({ method }: JsonObject): boolean => method === "session/request_permission"

const terminalOf = ({ place, simulator }: EditorWorld, argv: readonly string[]): Promise<Terminal> =>
  openTerminal({ place, argv, env: { ANTHROPIC_BASE_URL: simulator.url } })

const idOf = async ({ place }: EditorWorld): Promise<string> => {
  const logs = new Bun.Glob("*/*.jsonl").scan({ cwd: join(place.state, "projects") })
  for await (const path of logs) return path.replace(/^.*\/|\.jsonl$/g, "")
  throw new Error("no session")
}

test("a terminal has it open: an editor loads it, sees the question of the terminal, and answers it", async () => {
  await using world = await openWorld([
    says("Hello."),
    calls(bash("echo x >> log.txt")),
    says("Written."),
    says("And the editor."),
  ])
  await using terminal = await terminalOf(world, [])
  await terminal.shows("> ")
  terminal.type(`hi${enter}`)
  await terminal.shows("Hello.")
  const sessionId = await idOf(world)
  const place = { sessionId, cwd: world.place.work, mcpServers: [] }
  const answer = Promise.withResolvers<string>()
  await using editor = await openEditor(world, { permission: () => answer.promise })
  await editor.call("session/load", place)
  expect(editor.text()).toBe("Hello.")

  terminal.type(`write${enter}`)
  await terminal.shows("or what to do differently")
  const asked = await editor.until(isPermission)
  expect(JSON.stringify(asked)).toContain("echo x")
  answer.resolve("yes")
  await terminal.shows("Written.")
  await editor.until((message) => JSON.stringify(message).includes("Written."))
  expect(editor.updatesOf("user_message_chunk")).toMatchObject([
    { content: { text: "hi" } },
    { content: { text: "write" } },
  ])
  expect(await world.place.read("log.txt")).toBe("x\n")

  // The editor speaks too, and the terminal shows it. Then the terminal is closed, and the editor goes on alone.
  expect(await editor.prompt(sessionId, "and you?")).toBe("end_turn")
  await terminal.shows("> and you?")
  await terminal.shows("And the editor.")
  terminal.type(controlD)
  expect(await terminal.exited).toBe(0)
  await editor.until((message) => JSON.stringify(message).includes('"session/update"') && isContinued(message))
  expect(await editor.end()).toBe(0)
})

const isContinued = (message: JsonObject): boolean =>
  JSON.stringify(message).includes("which had this session open, has ended")

test("an editor has it open: a terminal attaches; the editor's agent is killed with a question open, and the terminal answers it once", async () => {
  await using world = await openWorld([calls(bash("echo x >> log.txt")), says("Written.")])
  await using editor = await openEditor(world, { permission: async () => "never" })
  const { sessionId } = await editor.newSession()
  void editor.prompt(sessionId, "write").catch(() => {})
  await editor.until(isPermission)
  await using terminal = await terminalOf(world, ["--resume", sessionId, "--model", "opus"])
  await terminal.shows("Not used: --model.")
  await terminal.shows("or what to do differently")
  editor.process.kill("SIGKILL")
  await editor.process.exited
  // What is typed too soon after a question is shown does not count.
  await Bun.sleep(400)
  terminal.type(`1${enter}`)
  await terminal.shows("which had this session open, has ended")
  await terminal.shows("Written.")
  expect(await world.place.read("log.txt")).toBe("x\n")
  terminal.type(controlD)
  expect(await terminal.exited).toBe(0)
})
