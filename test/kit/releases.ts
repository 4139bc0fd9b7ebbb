/** Releases for tests: made by the real script from small programs, signed with keys of their own. */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

const root = resolve(import.meta.dir, "../..")

/** The target that this machine's releases are for. */
export const targetHere: string = ["linux", process.arch].join("-")

/** A private key without a password; beside it its public key. */
export function makeKey(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path])
  return path
}

/** A script that says which version it is. */
export function smallProgram(path: string, version: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\necho "${version} (Codewright)"\n`)
  chmodSync(path, 0o755)
  return path
}

/** Adds a release to a folder and makes it the latest. Without a program, one is built that has this version. */
export function makeRelease(
  out: string,
  { version, key, program }: { readonly version: string; readonly key: string; readonly program?: string },
): void {
  run([
    process.execPath,
    join(root, "scripts/release.ts"),
    "--fast",
    `--targets=${targetHere}`,
    `--out=${out}`,
    `--version=${version}`,
    `--key=${key}`,
    ...(program === undefined ? [] : [`--program=${program}`]),
  ])
}

function run(argv: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...argv], { cwd: root, stdin: "ignore" })
  if (exitCode !== 0) throw new Error(`${argv.join(" ")}: ${stdout.toString()}${stderr.toString()}`)
}
