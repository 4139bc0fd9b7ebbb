/**
 * Temporary files in memory, for a run of the tests and whatever it starts: they make and remove hundreds of thousands
 * of files, and ext4 searches long for a free inode wherever many were removed just now. Where it cannot be had (no
 * root, little memory, a checkout among the temporary files), the tests run on the disk as before.
 */

import { spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { tmpdir, totalmem } from "node:os"
import { join, sep } from "node:path"
import { passOn } from "./processes.mjs"
import { root } from "./setup.mjs"

const leastBytes = 8e9

/** Runs this script again with temporary files in memory, in our place. Returns false where that is not possible, or done. */
export async function ranInMemory(script) {
  if (process.env.CODEWRIGHT_TEST_DISK === "apart") {
    process.env.CODEWRIGHT_TEST_DISK = "1"
    const [command, ...args] = mount()
    if (spawnSync(command, args, { stdio: "inherit" }).status !== 0) process.exit(1)
  }
  if (process.env.CODEWRIGHT_TEST_DISK === "1" || !isPossible()) return false
  await passOn([...apart, process.execPath, script, ...process.argv.slice(2)], {
    cwd: process.cwd(),
    env: { ...process.env, CODEWRIGHT_TEST_DISK: "apart" },
  })
  return true
}

/** What is mounted is there for a process and its children alone, and goes with the last of them. */
const apart = ["unshare", "--mount", "--propagation", "private", "--"]
const mount = () => ["mount", "-t", "tmpfs", "-o", "mode=1777", "codewright-tests", tmpdir()]

function isPossible() {
  if (process.platform !== "linux" || process.getuid() !== 0 || totalmem() < leastBytes) return false
  const above = `${realpathSync(tmpdir())}${sep}`
  const ours = [root, join(root, "node_modules"), process.execPath].map((path) => realpathSync(path))
  if (ours.some((path) => path.startsWith(above))) return false
  const [command, ...args] = [...apart, ...mount()]
  return spawnSync(command, args, { stdio: "ignore" }).status === 0
}
