/**
 * Runs a program that sees copies instead of the originals: everything else is read-only, and there is no network.
 * What it does to the originals' paths, it does to the copies.
 */

import { existsSync } from "node:fs"
import { bubblewrapPaths } from "./bubblewrap.ts"
import type { Enclosable } from "./port.ts"

export interface Replica {
  /** Copies and the paths at which they appear. */
  readonly copies: readonly { readonly copy: string; readonly place: string }[]
  /** Visible at a path, also on top of a copy, but read-only. */
  readonly shown: readonly { readonly real: string; readonly place: string }[]
}

/** Undefined if that does not work here. */
export async function amongCopies<P extends Enclosable>(
  program: P,
  replica: Replica,
  { platform, places = bubblewrapPaths }: { readonly platform: string; readonly places?: readonly string[] },
): Promise<P | undefined> {
  const bwrap = platform === "linux" ? places.find((path) => existsSync(path)) : undefined
  if (bwrap === undefined) return undefined
  const enclosed = (inner: Enclosable): Enclosable => ({ ...inner, file: bwrap, argv: argvOf(inner, replica) })
  // In many containers it is there but the kernel does not let it make namespaces.
  const trial = enclosed({ file: "/bin/true", argv: [], cwd: program.cwd })
  try {
    const child = Bun.spawn([trial.file, ...trial.argv], { cwd: "/", stdio: ["ignore", "ignore", "ignore"], env: {} })
    return (await child.exited) === 0 ? { ...program, ...enclosed(program) } : undefined
  } catch {
    return undefined
  }
}

/** Later mounts cover earlier ones, so outer paths come first. */
function argvOf({ file, argv, cwd }: Enclosable, { copies, shown }: Replica): readonly string[] {
  const mounts = [
    ...copies.map(({ copy, place }) => ({ flag: "--bind", copy, place })),
    ...shown.map(({ real, place }) => ({ flag: "--ro-bind", copy: real, place })),
  ].sort((a, b) => a.place.length - b.place.length)
  return [
    ["--ro-bind", "/", "/"],
    ["--dev-bind", "/dev", "/dev"],
    ...mounts.map(({ flag, copy, place }) => [flag, copy, place]),
    ["--unshare-pid", "--proc", "/proc", "--unshare-net", "--die-with-parent"],
    ["--chdir", cwd, "--", file],
    argv,
  ].flat()
}
