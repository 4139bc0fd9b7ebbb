/** Installs agents from npm into a cache folder outside the repository, once for each version. */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Peer } from "./peer.ts"

export const cacheFolder = (): string =>
  process.env.CODEWRIGHT_FIELD_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "codewright-field")

export const installedIn = (cache: string, { id, version }: Peer): string => join(cache, "peers", `${id}-${version}`)

/** Scripts of packages do not run: nothing here needs them. */
export function install(cache: string, peer: Peer): void {
  const folder = installedIn(cache, peer)
  if (peer.packages.length === 0 || existsSync(folder)) return
  const unfinished = `${folder}.part`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, "package.json"), '{ "private": true }\n')
  process.stderr.write(`Installing ${peer.packages.join(", ")} into ${folder}\n`)
  const { exitCode, stderr } = Bun.spawnSync(
    ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...peer.packages],
    { cwd: unfinished, stdio: ["ignore", "ignore", "pipe"] },
  )
  if (exitCode !== 0) throw new Error(`${peer.title} could not be installed.\n${stderr.toString()}`)
  renameSync(unfinished, folder)
}
