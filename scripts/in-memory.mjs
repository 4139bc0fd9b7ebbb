/**
 * Temporary files in memory, for a run of the tests and whatever it starts: they make and remove hundreds of thousands
 * of files, and ext4 searches long for a free inode wherever many were removed just now. Where it cannot be had (no
 * root, little memory, Node or packages among the temporary files), the tests run on the disk as before. A checkout among the
 * temporary files stays where it is.
 */

import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, realpathSync } from "node:fs"
import { tmpdir, totalmem } from "node:os"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { passOn } from "./processes.mjs"
import { root } from "./setup.mjs"

const leastBytes = 8e9

/** Runs this script again with temporary files in memory, in our place. Returns false where that is not possible, or done. */
export async function ranInMemory(script) {
  if (process.env.CODEWRIGHT_TEST_DISK === "apart") {
    process.env.CODEWRIGHT_TEST_DISK = "1"
    if (!isOverTemporaryFiles("inherit")) process.exit(1)
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
/** Where a checkout waits while what is above it is covered. Empty on every system that has it. */
const aside = "/mnt"

function isOverTemporaryFiles(stdio) {
  const ran = (...args) => spawnSync("mount", args, { stdio }).status === 0
  const covered = isTemporary(root)
  if (covered && !ran("--rbind", root, aside)) return false
  if (!ran("-t", "tmpfs", "-o", "mode=1777", "codewright-tests", tmpdir())) return false
  if (!covered) return true
  mkdirSync(root, { recursive: true })
  if (!ran("--move", aside, root)) return false
  process.chdir(process.cwd())
  return true
}

function isPossible() {
  if (process.platform !== "linux" || process.getuid() !== 0 || totalmem() < leastBytes) return false
  if (isTemporary(process.execPath) || (isTemporary(root) && !existsSync(aside))) return false
  const packages = realpathSync(join(root, "node_modules"))
  if (isTemporary(packages) && packages !== join(realpathSync(root), "node_modules")) return false
  const tried = [process.execPath, fileURLToPath(import.meta.url), "--try"]
  const [command, ...args] = [...apart, ...tried]
  return spawnSync(command, args, { stdio: "ignore" }).status === 0
}

function isTemporary(path) {
  return realpathSync(path).startsWith(`${realpathSync(tmpdir())}${sep}`)
}

// Asked in a namespace of its own, which ends with this process.
if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === "--try")
  process.exit(isOverTemporaryFiles("ignore") ? 0 : 1)
