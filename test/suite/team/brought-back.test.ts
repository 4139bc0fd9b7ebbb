/** A member that has left continues with its conversation when its lead writes to it. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast } from "../subagents/cast.ts"
import { create, heard, member, send, upon } from "./crew.ts"

test.each(["in-process", "process"])(
  "written to after it has left, it goes on where it was (%s)",
  async (mode) => {
    using place = openPlace()
    const knows: boolean[] = []
    const run = await runCodewright({
      place,
      argv: ["-p", "go", "--output-format", "json", "--teammate-mode", mode, "--allowedTools", "Bash"],
      scenario: cast({
        main: [
          calls(create),
          calls(member("ann")),
          ...upon(
            "First part done.",
            calls(send("ann", "You may go.", { type: "shutdown_request" })),
            says("Waiting."),
          ).slice(0, 3),
          ...upon("ann has left the team", calls(send("ann", "One more thing.")), says("Waiting.")).slice(0, 8),
          ...Array.from({ length: 10 }, () => heard),
        ],
        ann: [
          calls(bash("touch first.txt")),
          says("First part done."),
          ...upon(
            "shutdown_request",
            (request) => {
              const asked = /seq=\\"(\d+)\\" type=\\"shutdown_request/.exec(JSON.stringify(request.messages))?.[1]
              return calls(
                send("lead", "Bye.", { type: "shutdown_response", approve: true, answers: Number(asked ?? 1) }),
              )
            },
            says("Gone."),
            (request) => {
              knows.push(JSON.stringify(request.messages).includes("touch first.txt"))
              return calls(bash("touch second.txt"))
            },
            says("Second part done."),
          ),
        ],
      }),
    })
    expect([run.code, run.stderr]).toEqual([0, ""])
    expect(await Bun.file(join(place.work, "second.txt")).exists()).toBe(true)
    expect(knows).toEqual([true])
  },
  60_000,
)
