/** A client cancelled a turn, and rarely it ended as if nothing had been said: the interrupt lost a race. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { calls, write } from "../kit/script.ts"
import { openWorld } from "../suite/sdk/drive.ts"
import { answer, initialize, isAsked, isResult, openWire, request, user } from "../suite/sdk/wire.ts"

const stop = request("stop", { subtype: "interrupt" })
const failing = (question: JsonObject, error: string): object => ({
  type: "control_response",
  response: { subtype: "error", request_id: question.request_id, error },
})
const allowing = (question: JsonObject): object => answer(String(question.request_id), { behavior: "allow" })

const orders: { readonly [name: string]: (question: JsonObject) => readonly (readonly object[])[] } = {
  "the interrupt, and then the question is dropped": (question) => [[stop, failing(question, "Tool use aborted")]],
  "the question is dropped, and then the interrupt": (question) => [[failing(question, "Tool use aborted"), stop]],
  "the question is dropped, and the interrupt comes much later": (question) => [
    [failing(question, "AbortError: The operation was aborted")],
    [stop],
  ],
  "the interrupt, and then a yes that was on its way": (question) => [[stop, allowing(question)]],
}

for (const [name, order] of Object.entries(orders))
  test(name, async () => {
    await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "x")), "Done.", "Next."] })
    const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
    wire.send(initialize(), user("write it"))
    const [first = [], later] = order(await wire.next(isAsked("can_use_tool")))
    wire.send(...first)
    expect(await wire.next(isResult)).toMatchObject({
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
    })
    if (later) wire.send(...later)
    expect(world.requests()).toHaveLength(1)
    expect(existsSync(join(world.place.work, "a.txt"))).toBe(false)
    wire.send(user("and now?"))
    expect(await wire.next(isResult)).toMatchObject({ subtype: "success" })
    expect((await wire.end()).code).toBe(0)
  })

test("any other error of the client refuses the call, and the turn continues", async () => {
  await using world = await openWorld("0.3", { scenario: [calls(write("a.txt", "x")), "Done."] })
  const wire = openWire(world, ["--permission-prompt-tool", "stdio"])
  wire.send(initialize(), user("write it"))
  wire.send(failing(await wire.next(isAsked("can_use_tool")), "TypeError: no dialog"))
  expect(await wire.next(isResult)).toMatchObject({ subtype: "success", result: "Done." })
  expect(existsSync(join(world.place.work, "a.txt"))).toBe(false)
  expect((await wire.end()).code).toBe(0)
})

test("an interrupt right behind a message is about that message", async () => {
  await using world = await openWorld("0.3", { scenario: ["Done.", "Next."] })
  const wire = openWire(world)
  wire.send(initialize(), user("first"), stop)
  expect(await wire.next(isResult)).toMatchObject({ subtype: "error_during_execution" })
  wire.send(user("second"), stop)
  expect(await wire.next(isResult)).toMatchObject({ subtype: "error_during_execution" })
  wire.send(user("third"))
  expect(await wire.next(isResult)).toMatchObject({ subtype: "success" })
  expect((await wire.end()).code).toBe(0)
})
