/** Where the system has no watches left, the host of background sessions could not start: they never began. */

import { expect, test } from "bun:test"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const noWatches = "echo 0 > /proc/sys/user/max_inotify_instances"
const canForbid = Bun.spawnSync(["unshare", "-Ur", "sh", "-c", noWatches]).exitCode === 0

// Forbidding watches to one process needs a namespace of its own; the fallback has unit tests besides.
test.skipIf(!canForbid)("a background session starts, and its log can be followed to its end", async () => {
  using place = openPlace()
  const script = `${noWatches}
id=$("$@" --bg "say hello" | grep -o "session [0-9a-f]*" | cut -c9-)
exec "$@" logs "$id" --follow`
  const run = await runCodewright({
    place,
    argv: [],
    scenario: ["Hello from the background."],
    env: { SCRIPT: script },
    wrap: 'exec unshare -Ur sh -c "$SCRIPT" sh "$@"',
  })
  expect(run.stdout).toContain("Hello from the background.")
})
