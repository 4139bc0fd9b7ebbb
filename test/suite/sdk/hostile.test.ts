/** Clients that misbehave: a clear error or end, an intact log, and nothing left running. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { bash, calls, write } from "../../kit/script.ts"
import { openTurns } from "../../kit/turns.ts"
import { openWorld } from "./drive.ts"
import { expectIntactLogs } from "./logs.ts"
import { processesIn } from "./processes.ts"
import { answer, initialize, isAnswerTo, isAsked, isResult, openWire, request, user, type Wire } from "./wire.ts"

const asked = (message: JsonObject): string => String(message.request_id)

interface Case {
  readonly name: string
  readonly hostile: (wire: Wire) => Promise<void> | void
  readonly code: number
  readonly stderr?: string
}

const broken: readonly Case[] = [
  {
    name: "garbage instead of JSON",
    hostile: (wire) => wire.write("this is not JSON\n"),
    code: 1,
    stderr: "not a JSON object",
  },
  { name: "a list", hostile: (wire) => wire.write("[1,2]\n"), code: 1, stderr: "not a JSON object" },
  { name: "a message without a type", hostile: (wire) => wire.send({ a: 1 }), code: 1, stderr: "without a type" },
  {
    name: "bytes that are no text",
    hostile: (wire) => {
      void wire.process.stdin.write(new Uint8Array([0xff, 0xfe, 0x0a]))
      void wire.process.stdin.flush()
    },
    code: 1,
    stderr: "not UTF-8",
  },
  {
    name: "a line of 50 MB",
    hostile: (wire) => wire.write(`{"type":"user","message":"${"x".repeat(50_000_000)}"}\n`),
    code: 1,
    stderr: "a line of more than 32 MB",
  },
  { name: "half a line, then the end", hostile: (wire) => wire.write('{"type":"us'), code: 1, stderr: "not a JSON" },
  { name: "a user message without content", hostile: (wire) => wire.send({ type: "user" }), code: 1 },
  {
    name: "a control request without an id",
    hostile: (wire) => wire.send({ type: "control_request", request: { subtype: "interrupt" } }),
    code: 1,
    stderr: "request_id",
  },
  { name: "nothing at all", hostile: () => {}, code: 0 },
]

const turn = openTurns()
for (const { name, hostile, code, stderr } of broken)
  for (const when of turn(["first", "after a turn", "during a command"] as const))
    test(`${name}, ${when}`, async () => {
      const replies = [
        { when: { lastUserText: "go" }, ...calls(bash("touch begun; sleep 0.3")) },
        { content: "Hello.", times: "always" as const },
      ]
      await using world = await openWorld("0.3", { scenario: { replies } })
      const id = crypto.randomUUID()
      const wire = openWire(world, ["--session-id", id, "--allowedTools", "Bash"])
      if (when !== "first") wire.send(initialize(), user(when === "after a turn" ? "hi" : "go"))
      if (when === "after a turn") await wire.next(isResult)
      if (when === "during a command") while (!existsSync(join(world.place.work, "begun"))) await Bun.sleep(10)
      await hostile(wire)
      const end = await wire.end()
      expect(end.code).toBe(code)
      if (stderr !== undefined) expect(end.stderr).toContain(stderr)
      expect(processesIn(world.place.path)).toEqual([])
      if (when === "first") return
      expectIntactLogs(world)
      const again = openWire(world, ["--resume", id])
      again.send(initialize(), user("still there?"))
      expect(await again.next(isResult)).toMatchObject({ result: "Hello.", session_id: id })
      expect((await again.end()).code).toBe(0)
    })

test("unknown ids, second answers, unknown requests and types are harmless", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "x")), "Done."] })
  const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
  wire.send(
    answer("nobody-asked", { behavior: "allow" }),
    { type: "control_cancel_request", request_id: "nobody-asked" },
    { type: "keep_alive" },
    { type: "from_a_later_protocol", x: 1 },
    initialize(),
    request("r1", { subtype: "no_such_thing" }),
    user("write it"),
  )
  expect(await wire.next(isAnswerTo("r1"))).toMatchObject({
    response: { subtype: "error", error_code: "unsupported_request" },
  })
  const question = await wire.next(isAsked("can_use_tool"))
  const yes = answer(asked(question), { behavior: "allow", updatedInput: { file_path: "a.txt", content: "x" } })
  const no = answer(asked(question), { behavior: "deny", message: "too late" })
  wire.send(yes, no, yes)
  expect(await wire.next(isResult)).toMatchObject({ result: "Done.", permission_denials: [] })
  expect((await wire.end()).code).toBe(0)
  expect(await world.place.read("a.txt")).toBe("x")
})

for (const nonsense of [{}, { behavior: "perhaps" }, { behavior: "allow", updatedPermissions: "all" }])
  test(`an answer that says nothing is no permission: ${JSON.stringify(nonsense)}`, async () => {
    await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "x")), "Then not."] })
    const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
    wire.send(initialize(), user("write it"))
    wire.send(answer(asked(await wire.next(isAsked("can_use_tool"))), nonsense))
    expect(await wire.next(isResult)).toMatchObject({ permission_denials: [{ tool_name: "Write" }] })
    await wire.end()
    expect(await Bun.file(join(world.place.work, "a.txt")).exists()).toBe(false)
  })

test("silence on a question, then the end of input: nothing runs, and the run ends", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "x")), "Nobody answered."] })
  const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
  wire.send(initialize(), user("write it"))
  await wire.next(isAsked("can_use_tool"))
  expect((await wire.end()).code).toBe(0)
  expect(wire.told.at(-1)).toMatchObject({ type: "result", permission_denials: [{ tool_name: "Write" }] })
  expect(await Bun.file(join(world.place.work, "a.txt")).exists()).toBe(false)
  expectIntactLogs(world)
})

test("a question is withdrawn when the turn is interrupted", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "x")), "Fine."] })
  const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
  wire.send(initialize(), user("write it"))
  const question = await wire.next(isAsked("can_use_tool"))
  wire.send(request("stop", { subtype: "interrupt" }))
  await wire.next(isAnswerTo("stop"))
  expect(await wire.next(({ type }) => type === "control_cancel_request")).toMatchObject({
    request_id: asked(question),
  })
  expect(await wire.next(isResult)).toMatchObject({ terminal_reason: "aborted_tools" })
  wire.send(answer(asked(question), { behavior: "allow" }), user("and now?"))
  expect(await wire.next(isResult)).toMatchObject({ result: "Fine." })
  expect((await wire.end()).code).toBe(0)
})

test("messages that wait can be taken back, one or all", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(bash("sleep 60")), "Last."] })
  const wire = openWire(world, ["--allowedTools", "Bash"])
  wire.send(
    initialize(),
    user("wait", { uuid: "m1" }),
    user("taken back", { uuid: "m2" }),
    user("three", { uuid: "m3" }),
  )
  await wire.next(({ type }) => type === "assistant")
  wire.send(request("one", { subtype: "cancel_async_message", message_uuid: "m2" }))
  expect(await wire.next(isAnswerTo("one"))).toMatchObject({ response: { response: { cancelled: true } } })
  wire.send(request("stop", { subtype: "interrupt" }))
  expect(await wire.next(isAnswerTo("stop"))).toMatchObject({ response: { response: { still_queued: ["m3"] } } })
  expect(await wire.next(isResult)).toMatchObject({ is_error: true })
  expect(await wire.next(isResult)).toMatchObject({ result: "Last." })
  expect((await wire.end()).code).toBe(0)
  expect(JSON.stringify(world.requests().at(-1)?.body)).not.toContain("taken back")
})
