/** A session that keeps nothing left an empty folder behind when its watchdog removed a part of it at the same moment. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { removeFolder } from "#ground/workspace/remove-folder.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("a folder goes whole while another process removes a part of it", async () => {
  using tmp = temporaryFolder()
  for (let i = 0; i < 200; i += 1) {
    const root = join(tmp.path, String(i))
    const part = join(root, "project", "session", "scratch")
    mkdirSync(join(part, "pipes"), { recursive: true })
    for (let n = 0; n < 6; n += 1) writeFileSync(join(part, "pipes", String(n)), "")
    const other = Bun.spawn(["rm", "-rf", part], { stdio: ["ignore", "ignore", "ignore"] })
    // The other one begins after about a millisecond; the two meet at every stage of its work.
    await Bun.sleep((i % 40) / 20)
    removeFolder(root)
    await other.exited
    expect(existsSync(root)).toBe(false)
  }
})
