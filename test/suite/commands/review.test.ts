/** Reviewing changes in a session: by command, told to the model once, recorded, and never while a turn runs. */

import { expect, test } from "bun:test"
import { deferred } from "#lib/deferred.ts"
import { calls, says, write } from "../../kit/script.ts"
import { starting } from "./start.ts"

const { start } = starting()

test("what a command undoes is recorded, told to the model with the next request, and not again", async () => {
  const t = await start({
    script: [
      calls(write("a.txt", "one\n"), write("b.txt", "two\n")),
      says("Written."),
      says("I see."),
      says("Nothing new."),
    ],
    mode: "acceptEdits",
  })
  await t.prompt("write them")
  await t.prompt("/diff undo 2")
  expect([t.read("a.txt"), await Bun.file(t.path("b.txt")).exists()]).toEqual(["one\n", false])
  const reviews = t.entries().flatMap((entry) => (entry.kind === "review" ? [entry] : []))
  expect(reviews.map(({ act, hunks }) => [act, hunks.map(({ path, change }) => [path, change])])).toEqual([
    ["undo", [["b.txt", "created"]]],
  ])
  await t.prompt("go on")
  await t.prompt("and now")
  const told = t.requests().map((messages) => JSON.stringify(messages.at(-1)).includes("Undid the creation of b.txt"))
  expect(told).toEqual([false, false, true, false])

  await t.prompt("/diff restore 2")
  expect(t.read("b.txt")).toBe("two\n")
  const missing = await t.ask({ type: "command", name: "diff", args: "undo 7" })
  expect(missing).toEqual({ text: "There is no change 7. /diff lists them.", isError: true })
  const unclear = await t.ask({ type: "command", name: "diff", args: "everything" })
  expect(unclear?.isError).toBe(true)
})

test("nothing is undone while a turn runs", async () => {
  const goOn = deferred<void>()
  const t = await start({
    script: async (_, { turn }) => {
      if (turn === 0) return calls(write("a.txt", "one\n"))
      await goOn.promise
      return says("Written.")
    },
    mode: "acceptEdits",
  })
  const turn = t.prompt("write it")
  while (!(await Bun.file(t.path("a.txt")).exists())) await Bun.sleep(5)
  const review = await t.ask({ type: "review", scope: "session" })
  const hunks = review.ok ? review.value.files.flatMap((file) => file.hunks.map(({ id }) => id)) : []
  expect(await t.session.submit({ type: "review", act: "undo", hunks, scope: "session" })).toEqual({
    ok: false,
    failure: { kind: "working" },
  })
  goOn.resolve()
  await turn
  expect(t.read("a.txt")).toBe("one\n")
})
