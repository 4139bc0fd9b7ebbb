/** Settings that this user may not read were shown as the error of the system, without a word of who must be able to read them. */

import { expect, test } from "bun:test"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const isRoot = process.getuid?.() === 0
const wrap = isRoot ? 'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' : 'exec "$@"'

test("settings that may not be read are named, with who must be able to, by every way to start", async () => {
  using place = openPlace()
  const own = place.write(join(place.state, "settings.json"), "{}")
  const managed = place.write("managed.json", "{}")
  for (const folder of [place.path, place.work, place.home, place.state]) chmodSync(folder, 0o777)
  const words = (file: string): string =>
    `error: ${file}: It cannot be read (EACCES). It must be readable by the user that runs Codewright (user id ${isRoot ? 65534 : process.getuid?.()}).\n`
  const ways = [
    [own, ["-p", "hello"]],
    [own, ["worker", "--database", "postgres://x@127.0.0.1:9/x"]],
    [own, ["serve", "--port", "0"]],
    [managed, ["-p", "hello", "--managed-settings", managed]],
  ] as const
  for (const [file, argv] of ways) {
    chmodSync(file, 0)
    const { code, stderr } = await runCodewright({ argv, place, wrap })
    chmodSync(file, 0o644)
    expect([argv, code, stderr]).toEqual([argv, 1, words(file)])
  }
})
