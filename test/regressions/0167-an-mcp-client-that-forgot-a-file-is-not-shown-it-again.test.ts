/** A client that read a file twice was told that it has it already, although another conversation of the client had read it. */

import { expect, test } from "bun:test"
import { openWorld } from "../kit/acp/editor.ts"
import { openServed } from "../kit/mcp/served.ts"

test("a file is shown in full however often a client reads it", async () => {
  await using world = await openWorld([], { "a.txt": "one\n" })
  await using client = await openServed(world, { revision: "2025-11-25" })
  const file_path = `${world.place.work}/a.txt`
  for (let i = 0; i < 3; i++) expect((await client.call("Read", { file_path })).text).toBe("1\tone")
})
