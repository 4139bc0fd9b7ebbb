/** npm puts our own tools in front of PATH, so whoever tried the sample was told that a language server of ours does not work. */

import { expect, test } from "bun:test"
import { dirname, join, resolve } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { environmentOf, openPlace } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"

const root = resolve(import.meta.dir, "../..")

test("what npm adds to PATH is not passed on", async () => {
  using place = openPlace()
  const replies = [calls(bash('printf %s "$PATH" > path.txt')), says("Done.")]
  const simulator = await openSimulator({ scenario: { replies } })
  if (!simulator.ok) throw new Error(simulator.failure.message)
  const own = [dirname(Bun.which("node") ?? ""), "/usr/bin", "/bin"]
  const added = [join(root, "node_modules/.bin"), "/node_modules/.bin", "/lib/node-gyp-bin"]
  const argv = ["node", join(root, "scripts/start.mjs"), "-p", "go", "--permission-mode", "acceptEdits"]
  const run = Bun.spawn([...argv, "--allowed-tools", "Bash"], {
    cwd: place.work,
    env: environmentOf(place, simulator.value.url, { PATH: [...added, ...own].join(":") }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [stdout, code] = await Promise.all([run.stdout.text(), run.exited])
  await simulator.value.close()
  expect({ stdout, code }).toEqual({ stdout: "Done.\n", code: 0 })
  expect((await Bun.file(join(place.work, "path.txt")).text()).split(":")).toEqual(own)
})
