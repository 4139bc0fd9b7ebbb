/** The input of a program: in memory, and on the disk where that cannot be; either way without a name. */

import { describe, expect, test } from "bun:test"
import { closeSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { openInputs } from "#ground/workspace/processes/inputs.ts"
import { systemLibrary } from "#ground/workspace/processes/system-library.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

describe.each([
  ["with the system's call", systemLibrary()],
  ["on the disk, where the library has another name", "libnowhere.so"],
])("%s", (_how, library) => {
  test.each([
    ["nothing", ""],
    ["a line", '{"a":"ü"}\n'],
    ["more than a pipe holds", "x".repeat(3_000_000)],
  ])("%s is read from its beginning, as the stream and as /dev/stdin", async (_what, text) => {
    using folder = temporaryFolder()
    const open = openInputs({ folder: folder.join("inputs"), ids: systemIds }, library)
    for (const command of ["cat", "cat /dev/stdin", "cat; cat /dev/stdin"]) {
      const input = open(text)
      if (!input.ok) throw new Error(JSON.stringify(input.failure))
      const child = Bun.spawn(["/bin/sh", "-c", command], { stdio: [input.value, "pipe", "ignore"] })
      closeSync(input.value)
      expect(await child.stdout.text()).toBe(command.includes(";") ? text + text : text)
    }
    expect(existsSync(folder.join("inputs")) ? readdirSync(folder.join("inputs")) : []).toEqual([])
  })
})

test.skipIf(process.platform !== "linux")("it is closed in whatever else is started", () => {
  using folder = temporaryFolder()
  const input = openInputs({ folder: folder.path, ids: systemIds })("secret")
  if (!input.ok) throw new Error(JSON.stringify(input.failure))
  const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${input.value}`, "utf8"))?.[1] ?? ""
  closeSync(input.value)
  const closedOnExec = 0o2000000
  expect(Number.parseInt(flags, 8) & closedOnExec).toBe(closedOnExec)
})

test("where neither works it says why", () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("file"), "")
  const input = openInputs({ folder: folder.join("file"), ids: systemIds }, "libnowhere.so")("text")
  expect(input).toMatchObject({ ok: false, failure: { kind: "other", message: expect.stringContaining("file") } })
})
