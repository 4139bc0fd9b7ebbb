/**
 * A file that was to be restored was still the very file that the store had a link of. Renaming a link to another link of the
 * same file does nothing, so the temporary file stayed in the project.
 */

import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reachableConfine } from "../kit/confine.ts"
import { openUndoWorld } from "../kit/undo/world.ts"

const signal = new AbortController().signal

test.skipIf(process.platform !== "linux")("a restore of a file that is there leaves nothing beside it", async () => {
  await using world = openUndoWorld({ recorder: await reachableConfine(), limits: { totalBytes: 400 } })
  for (const [name, bytes] of [["from", 148] as const, ["to", 253] as const]) {
    mkdirSync(join(world.root, name))
    writeFileSync(join(world.root, name, "file"), "x".repeat(bytes))
  }
  const promptId = world.prompt()
  // It fails, because the other folder is not empty.
  await world.shell("mv -fT from to")

  const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  expect(rewound.ok && rewound.value?.kept).toEqual([])
  const names = readdirSync(world.root, { recursive: true, encoding: "utf8" }).toSorted()
  expect(names).toEqual(["from", "from/file", "to", "to/file"])
})
