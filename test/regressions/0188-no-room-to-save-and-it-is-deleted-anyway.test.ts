/** Where the state before cannot be saved because no space is left, what would destroy it does not happen. */

import { expect, test } from "bun:test"

import { bwrap, reachableConfine } from "../kit/confine.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test.skipIf(process.platform !== "linux" || bwrap === null)("a full disk refuses the removal", async () => {
  using work = temporaryFolder()
  using small = temporaryFolder()
  const helper = await reachableConfine()
  const line = [
    `head -c 100000 /dev/urandom > ${work.path}/large`,
    `echo small > ${work.path}/small`,
    // The journal is on another disk, so that contents must be copied, and has no room for the large one.
    `mkdir ${small.path}/journal`,
    `${helper} record --journal ${small.path}/journal --most 10000000 --root ${work.path} -- /bin/rm ${work.path}/small ${work.path}/large`,
    `ls ${work.path}`,
  ].join("\n")
  const argv = [bwrap ?? "", "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", small.path, "/bin/bash", "-c", line]
  const { stdout, stderr } = Bun.spawnSync(argv)
  expect(stderr.toString()).toContain("No space left on device")
  expect(stdout.toString()).toBe("large\n")
})
