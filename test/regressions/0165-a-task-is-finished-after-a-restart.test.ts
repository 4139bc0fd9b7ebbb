/** A long call runs as a task at its server. Its id is in the log, so a session that was killed gets the result instead of calling again. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openModernSession } from "../kit/killed-session.ts"
import { openPlace } from "../kit/run-codewright.ts"

test("a task that runs at kill -9 is begun once, and the next process gets its result", async () => {
  using place = openPlace()
  await using t = await openModernSession(place, "build", place.path)
  const told = (): string => readFileSync(join(place.path, "told"), "utf8")
  const first = t.start({ prompt: "go" })
  const session = await first.says("session ")
  await first.says("call task")
  await first.kill()
  expect(told()).toBe("begin build\n")

  // Meanwhile it goes on at the server.
  writeFileSync(join(place.path, "go"), "")
  const second = t.start({ resume: session })
  await second.says("settled")
  await second.exited
  expect(told()).toBe("begin build\nfinish build\n")
  expect(t.results().at(-1)).toBe('"Done by itself."')
})

test("a task whose server knows it no more is told as such, and not begun again", async () => {
  using place = openPlace()
  await using t = await openModernSession(place, "build", place.path)
  const first = t.start({ prompt: "go" })
  const session = await first.says("session ")
  await first.says("call task")
  await first.kill()
  const [task = ""] = [...new Bun.Glob("task-*").scanSync({ cwd: place.path, absolute: true })]
  await Bun.file(task).delete()
  const second = t.start({ resume: session })
  await second.says("settled")
  await second.exited
  expect(readFileSync(join(place.path, "told"), "utf8")).toBe("begin build\n")
  expect(t.results().at(-1)).toContain("Task not found")
})
