/** A file that a rewind brought back from a content kept as a file is not taken for somebody's change, so redo does it again. */

import { expect, test } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reachableConfine } from "../kit/confine.ts"
import { openUndoWorld } from "../kit/undo/world.ts"

const swap = "mv a swapped; printf n > a"
const signal = new AbortController().signal

test.skipIf(process.platform !== "linux").each([
  ["one command", [`${swap}; chmod 600 b`]],
  ["two commands", [swap, "chmod 600 b"]],
])("more than is kept, changed by %s, is rewound and redone", async (_, commands) => {
  // Both together are over the limit, so that one of them is kept as a file.
  await using world = openUndoWorld({ recorder: await reachableConfine(), limits: { totalBytes: 400 } })
  for (const name of ["a", "b", "swapped"]) writeFileSync(join(world.root, name), name.repeat(300).slice(0, 300))
  const look = (): readonly string[] =>
    ["a", "b", "swapped"].map((name) => {
      const at = join(world.root, name)
      return `${(statSync(at).mode & 0o777).toString(8)} ${readFileSync(at, "utf8")}`
    })
  const before = look()
  const promptId = world.prompt()
  for (const command of commands) await world.shell(command)
  const after = look()
  expect(after).not.toEqual(before)

  const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  if (!rewound.ok || !rewound.value) throw new Error("It was not rewound.")
  expect(look()).toEqual(before)
  world.record({ kind: "head", to: null, why: "rewind", files: rewound.value })
  const redone = await world.kit().redoFiles({ log: world.log(), files: rewound.value, signal })
  expect(redone).toMatchObject({ ok: true, value: { kept: [] } })
  expect(look()).toEqual(after)
})
