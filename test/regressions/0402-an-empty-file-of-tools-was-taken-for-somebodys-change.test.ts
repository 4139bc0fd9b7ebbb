/** An empty file that a command made among tools' files is undone, although a later command had it kept again. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { reachableConfine } from "../kit/confine.ts"
import { openUndoWorld } from "../kit/undo/world.ts"

test.skipIf(process.platform !== "linux")("it is removed", async () => {
  await using world = openUndoWorld({ recorder: await reachableConfine() })
  mkdirSync(join(world.root, "node_modules"))
  const promptId = world.prompt()
  await world.shell(": > node_modules/made")
  await world.shell("mv a node_modules")
  const { signal } = new AbortController()
  const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  expect(rewound).toMatchObject({ ok: true, value: { kept: [] } })
  expect(existsSync(join(world.root, "node_modules/made"))).toBe(false)
})
