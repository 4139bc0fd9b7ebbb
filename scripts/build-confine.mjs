/**
 * `npm run build:confine`: the sandbox's helper for x64 and arm64, and the list of digests that a test compares.
 * The results are committed, so that nobody needs a compiler who does not change them. On Debian this needs
 * `apt install gcc gcc-aarch64-linux-gnu` on an x64 machine, or `gcc gcc-x86-64-linux-gnu` on an arm64 one.
 */

import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./setup.mjs"

export const folder = join(root, "src/ground/sandbox/confine")

const machines = { x64: "x86_64-linux-gnu-gcc", arm64: "aarch64-linux-gnu-gcc" }

// No libc, nothing that would need one, and the same bytes on every machine.
const flags = [
  ..."-std=c11 -Os -Wall -Wextra -Werror -nostdlib -static -no-pie -fno-pic -ffreestanding".split(" "),
  ..."-fno-stack-protector -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns".split(" "),
  ..."-ffunction-sections -fdata-sections -fno-ident".split(" "),
  "-Wl,--gc-sections,--build-id=none,-z,noseparate-code,-z,noexecstack,--strip-all",
]

/** What `confine.sha256` must contain: a line for each program and one for the source they were built from. */
export function digests() {
  const programs = Object.keys(machines).map((machine) => `confine-${machine}`)
  return [
    ...programs.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}`),
    `${sourceDigest()}  source`,
    "",
  ].join("\n")
}

function sourceDigest() {
  return sha256(
    sources(/\.[ch]$/)
      .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`)
      .join("\n"),
  )
}

const sources = (kind) =>
  readdirSync(folder)
    .filter((name) => kind.test(name))
    .sort()

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex")

function build() {
  for (const [machine, compiler] of Object.entries(machines)) {
    const args = [...flags, "-o", `confine-${machine}`, ...sources(/\.c$/)]
    const { status, error } = spawnSync(compiler, args, { cwd: folder, stdio: "inherit" })
    if (status === 0) continue
    process.stderr.write(
      error ? `${compiler} does not start (${error.message}). Install it: see the top of this script.\n` : "",
    )
    process.exit(1)
  }
  writeFileSync(join(folder, "confine.sha256"), digests())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build()
