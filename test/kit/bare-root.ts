/** A root with nothing in it but the named programs and what they link to, entered with bubblewrap as a user without rights. */

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"

export interface BareRoot {
  readonly path: string
  readonly run: (argv: readonly string[], options?: BareRun) => { readonly code: number; readonly said: string }
  /** Every path in it, with the size of files. */
  readonly listed: () => readonly string[]
}

interface BareRun {
  /** For bubblewrap, such as more mounts. */
  readonly mounts?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly cwd?: string
}

/** What install.sh needs; a shell, but no bash. */
export const installerTools: readonly string[] =
  "sh uname mkdir mv ln rm cp cat dirname sed sort rmdir grep tar gzip sha256sum ssh-keygen".split(" ")

export function bareRoot(path: string, tools: readonly string[]): BareRoot {
  for (const folder of ["usr/bin", "tmp", "etc", "dev", "proc", "home/user", "releases"])
    mkdirSync(join(path, folder), { recursive: true })
  symlinkSync("usr/bin", join(path, "bin"))
  for (const tool of tools) addTool(path, tool)
  // What the program links to, which no tool might need.
  for (const name of ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"])
    for (const folder of ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu"]) copyOnce(path, join(folder, name))
  writeFileSync(join(path, "etc/passwd"), "user:x:1000:1000::/home/user:/bin/sh\n")
  return {
    path,
    run(argv, { mounts = [], env = {}, cwd = "/home/user" } = {}) {
      const variables = { HOME: "/home/user", PATH: "/bin:/home/user/.local/bin", TMPDIR: "/tmp", ...env }
      const { exitCode, stdout, stderr } = Bun.spawnSync(
        [
          ..."bwrap --unshare-all --die-with-parent --uid 1000 --gid 1000 --clearenv --bind".split(" "),
          path,
          ..."/ --proc /proc --dev /dev".split(" "),
          "--chdir",
          cwd,
          ...mounts,
          ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
          ...argv,
        ],
        { stdin: "ignore" },
      )
      return { code: exitCode, said: `${stdout.toString()}${stderr.toString()}`.trim() }
    },
    listed: () => listed(path, "").filter((line) => !/^\/(?:dev|proc)\/./.test(line)),
  }
}

function addTool(root: string, tool: string): void {
  const found = Bun.which(tool)
  if (found === null) throw new Error(`${tool} was not found`)
  const real = realpathSync(found)
  copyFileSync(real, join(root, "bin", tool))
  const { stdout } = Bun.spawnSync(["ldd", real])
  for (const [library] of stdout.toString().matchAll(/\/[^\s()]+/g)) copyOnce(root, library)
}

function copyOnce(root: string, path: string): void {
  const to = join(root, path)
  if (!existsSync(path) || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  cpSync(realpathSync(path), to)
}

function listed(root: string, below: string): readonly string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}/${entry.name}`
    if (entry.isDirectory()) return [`${path}/`, ...listed(root, path)]
    return [entry.isFile() ? `${path} ${statSync(join(root, path)).size}` : path]
  })
}
