/** Language servers of the program as it is shipped: by settings, only in trusted folders, and gone with it. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { trustFolder } from "#ground/settings/trust.ts"
import { systemClock } from "#lib/clock.ts"
import { isRunning } from "../../kit/is-running.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { calls, says, write } from "../../kit/script.ts"

const server = resolve(import.meta.dir, "../../kit/lsp/wayward-server.ts")

function configured(place: Place, how: string): string {
  const pidFile = join(place.path, "pid")
  const wayward = {
    command: process.execPath,
    args: [server, how],
    extensionToLanguage: { ".txt": "plaintext" },
    env: { WAYWARD_PID: pidFile },
  }
  place.write("../state/settings.json", JSON.stringify({ lsp: { wayward } }))
  return pidFile
}

const trust = (place: Place): unknown => trustFolder({ ...place, clock: systemClock }, place.work, [])

const argv = ["-p", "go", "--permission-mode", "acceptEdits"]
const scenario = [calls(write("a.txt", "bad\n")), says("Done."), says("Fixed.")]

test.concurrent("a server of the user's settings tells of errors in a trusted folder, and only there", async () => {
  using place = openPlace()
  const pidFile = configured(place, "good")
  const before = await runCodewright({ place, argv, scenario })
  expect([before.code, existsSync(pidFile)]).toEqual([0, false])
  trust(place)
  const off = await runCodewright({ place, argv, scenario, env: { CODEWRIGHT_LANGUAGE_SERVERS: "off" } })
  expect([off.code, existsSync(pidFile)]).toEqual([0, false])
  const run = await runCodewright({
    place,
    argv,
    scenario: [calls(write("b.txt", "bad\n")), says("Done."), says("Fixed.")],
  })
  expect(JSON.stringify(run.requests.at(-1)?.body)).toContain("New errors in b.txt")
  while (isRunning(Number(await Bun.file(pidFile).text()))) await Bun.sleep(20)
})

test.concurrent("after kill -9 no server is left", async () => {
  using place = openPlace()
  const pidFile = configured(place, "hangs_after_edit")
  trust(place)
  await runCodewright({
    place,
    argv,
    scenario: [calls(write("a.txt", "bad\n")), calls({ tool: "Bash", input: { command: "sleep 60" } }), says("Done.")],
    async during({ kill }) {
      while (!existsSync(pidFile)) await Bun.sleep(20)
      kill("SIGKILL")
    },
  })
  while (isRunning(Number(await Bun.file(pidFile).text()))) await Bun.sleep(20)
})
