/** Makes the program as one file that needs nothing else on the machine, for this platform or another. */

import { resolve } from "node:path"
import type { Build } from "#lib/build.ts"
import { compressedAssets } from "./compressed-assets.ts"
import { packDocuments } from "./documents.ts"
import { databaseFiles } from "./empty-database.ts"
import { howToBuild } from "./how-to-build.ts"
import { libraryFiles, withoutLibraries } from "./packed-libraries.ts"

const root = resolve(import.meta.dir, "..")

export interface ExecutableOptions {
  readonly outfile: string
  readonly platform: string
  readonly arch: string
  readonly about: Omit<Build, "assets">
  /** Another platform's Bun. */
  readonly runtime?: string
  readonly ripgrep: string
  /** Another program than ours, with the same things on board. */
  readonly entry?: string
  readonly flags?: readonly string[]
}

/** The exit code of the compiler. */
export async function makeExecutable(options: ExecutableOptions): Promise<number> {
  const { outfile, platform, arch, about, runtime, ripgrep, entry = "src/main.ts", flags = [] } = options
  using documents = await packDocuments()
  const assets = await compressedAssets({
    rg: await Bun.file(ripgrep).bytes(),
    ...(await databaseFiles()),
    ...(await libraryFiles()),
  })
  const { exitCode } = Bun.spawnSync(
    [
      process.execPath,
      ...howToBuild,
      `--define=CODEWRIGHT_BUILD=${JSON.stringify({ ...about, assets: assets.digests } satisfies Build)}`,
      // What the program brings along: see src/ground/bundled.
      ...assets.flags,
      ...withoutLibraries,
      "--asset=sample",
      "--asset=src/ground/models/model-table.jsonl",
      `--asset=${documents.path}`,
      ...(platform === "linux" ? [`--asset=src/ground/sandbox/confine/confine-${arch}`] : []),
      // Without a target it would be written as a program of this system.
      ...(runtime === undefined ? [] : [`--compile-executable-path=${runtime}`, `--target=bun-${platform}-${arch}`]),
      entry,
      `--outfile=${outfile}`,
      ...flags,
    ],
    { cwd: root, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
  )
  return exitCode
}

/** What git knows of the sources as they are; a tree with changes says so. */
export function commitHere(): Pick<Build, "commit" | "date"> {
  const git = (...args: readonly string[]): string | undefined => {
    const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stdin: "ignore", stderr: "ignore" })
    return exitCode === 0 ? stdout.toString().trim() : undefined
  }
  const commit = git("rev-parse", "HEAD")
  const seconds = git("log", "-1", "--format=%ct")
  if (commit === undefined || seconds === undefined) return {}
  const isClean = git("status", "--porcelain", "--untracked-files=no") === ""
  return { commit: isClean ? commit : `${commit} (with changes)`, date: new Date(Number(seconds) * 1000).toISOString() }
}
