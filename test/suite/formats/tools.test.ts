/** Tools, several calls in one answer, what goes wrong with them, and interrupts: the same over every wire format. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import { answered } from "#agent/words/tool.ts"
import * as shape from "#lib/shape.ts"
import { isEntry } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { picture } from "../../kit/picture.ts"
import { complaints } from "../../kit/valid-messages.ts"
import { overEach } from "./over-each.ts"

overEach("tools", (start) => {
  test("files are written, read, edited and searched, and each result is in the next request", async () => {
    await using t = await start({
      files: { "a.txt": "one\n" },
      script: [
        calls({ text: "I look." }, read("a.txt")),
        calls(edit("a.txt", "one", "«two»"), write("b.txt", "drei\n")),
        calls(use("Grep", { pattern: "zw|«", output_mode: "content" }), bash("cat b.txt")),
        says("Done."),
      ],
    })
    expect(await t.prompt("change it")).toEqual({ reason: "completed" })
    expect([t.read("a.txt"), t.read("b.txt")]).toEqual(["«two»\n", "drei\n"])
    expect(t.results().map(({ tool, isError }) => [tool, isError])).toEqual(
      ["Read", "Edit", "Write", "Grep", "Bash"].map((tool) => [tool, false]),
    )
    const last = t.requests().at(-1) ?? []
    expect(complaints(last)).toEqual([])
    const told = JSON.stringify(last)
    for (const text of ["I look.", "«two»", "drei"]) expect(told).toContain(text)
  })

  test("calls of one answer run at the same time, and are answered in their order", async () => {
    await using t = await start({
      kits: [meeting(3)],
      script: [
        calls(use("Meet", { name: "one" }), use("Meet", { name: "two" }), use("Meet", { name: "three" })),
        says("Met."),
      ],
    })
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    expect(t.results().map(({ content }) => content)).toEqual(["one met", "two met", "three met"])
    expect(complaints(t.requests().at(-1) ?? [])).toEqual([])
  })

  test("bad input, an unknown tool, a failed command and a denied call are told, and the turn goes on", async () => {
    await using t = await start({
      files: { "a.txt": "one\n" },
      deny: ["Bash(rm:*)"],
      script: [
        calls(use("Read", { path: 7 })),
        calls(use("Reed", { file_path: "a.txt" })),
        calls(bash("echo out; exit 3"), bash("echo still")),
        calls(bash("rm a.txt")),
        says("I see."),
      ],
    })
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    expect(t.results().map(({ isError }) => isError)).toEqual([true, true, true, false, true])
    expect(t.read("a.txt")).toBe("one\n")
    const told = JSON.stringify(t.requests().at(-1))
    for (const words of ["did you mean `file_path`", "no tool named Reed", "out", "The rule Bash(rm:*)"])
      expect(told).toContain(words)
  })

  test("an answer that is cut inside a call runs nothing of it, and is asked for again", async () => {
    await using t = await start({
      script: [{ ...calls(write("a.txt", "x".repeat(200))), fault: "max_tokens_in_tool" }, says("Done.")],
    })
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    expect(existsSync(t.path("a.txt"))).toBe(false)
    expect(complaints(t.requests().at(-1) ?? [])).toEqual([])
  })

  test("an image that a tool reads is seen by the model", async () => {
    await using t = await start({
      script: [calls(bash(`echo ${picture} | base64 -d > a.png`)), calls(read("a.png")), says("A dot.")],
    })
    expect(await t.prompt("look")).toEqual({ reason: "completed" })
    expect(JSON.stringify(t.requests().at(-1))).toContain('"type":"image"')
  })
})

overEach("interrupts", (start) => {
  test("during a call: the turn ends, the call is answered, and the next turn goes on", async () => {
    await using t = await start({ script: [calls(bash("sleep 1000"), read("none.txt")), says("Again.")] })
    t.say("first")
    await t.until(isEntry("intent"))
    void t.session.submit({ type: "interrupt" })
    await t.settled()
    expect(t.story().at(-1)).toBe("turn_end aborted aborted_tools")
    expect(await t.prompt("second")).toEqual({ reason: "completed" })
    expect(complaints(t.requests().at(-1) ?? [])).toEqual([])
  })

  test("during an answer: what was said so far stays, and the next turn goes on", async () => {
    await using t = await start({
      script: [
        { content: [{ thinking: "Let me see. ".repeat(5) }, "word ".repeat(400)], timing: { tokensPerSecond: 100 } },
        says("Again."),
      ],
    })
    t.say("first")
    await t.until((event) => event.type === "model_delta" && event.delta.type === "text_delta")
    void t.session.submit({ type: "interrupt" })
    await t.settled()
    expect(t.story().at(-1)).toStartWith("turn_end aborted")
    // The other end notices a moment later.
    while (t.simulator.requests[0]?.outcome === "pending") await Bun.sleep(5)
    expect(t.simulator.requests[0]?.outcome).toBe("client_left")
    expect(await t.prompt("second")).toEqual({ reason: "completed" })
    expect(JSON.stringify(t.requests().at(-1))).toContain("word")
  })
})

/** A tool that ends only when so many calls of it are running. */
function meeting(size: number): Kit {
  const all = Promise.withResolvers<void>()
  let here = 0
  const meet = defineTool({
    name: "Meet",
    description: "Waits for the others.",
    input: shape.object({ name: shape.string() }),
    title: ({ name }) => `Meet ${name}`,
    footprint: touchesNothing,
    async run({ name }) {
      if (++here === size) all.resolve()
      await all.promise
      return answered(`${name} met`)
    },
  })
  return { name: "meeting", tools: [meet] }
}
