/**
 * A command gave a file a second name, the next one wrote to it by that name: the rewind took the first name for changed by
 * somebody else, and left it.
 */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reachableConfine } from "../kit/confine.ts"
import { openUndoWorld } from "../kit/undo/world.ts"

const signal = new AbortController().signal

test.skipIf(process.platform !== "linux")("a file that is written by its other name is restored", async () => {
  await using world = openUndoWorld({ recorder: await reachableConfine() })
  const file = join(world.root, "file")
  writeFileSync(file, "")
  const promptId = world.prompt()
  await world.shell("ln file other && echo first >> other")
  await world.shell("echo second >> other; rm other")
  expect(readFileSync(file, "utf8")).toBe("first\nsecond\n")

  const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  if (!rewound.ok || !rewound.value) throw new Error("nothing was rewound")
  expect(rewound.value.kept).toEqual([])
  expect(readFileSync(file, "utf8")).toBe("")

  world.record({ kind: "head", to: null, why: "rewind", files: rewound.value })
  const redone = await world.kit().redoFiles({ log: world.log(), files: rewound.value, signal })
  expect(redone.ok && redone.value.kept).toEqual([])
  expect([readFileSync(file, "utf8"), existsSync(join(world.root, "other"))]).toEqual(["first\nsecond\n", false])
})
