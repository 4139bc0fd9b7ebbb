/** Keeps the list of all commands and skills between starts, for whoever has hundreds of them. */

import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { CommandDefinition } from "#agent/words/command.ts"
import type { OnPathRead } from "#ground/extensions/find.ts"
import { openKeptResult } from "#ground/extensions/kept-result.ts"
import { type ExtensionPlace, possibleFolders } from "#ground/extensions/places.ts"
import type { CommandFile } from "#kits/commands/decode.ts"
import type { KeptHeads } from "#kits/commands/catalog.ts"
import type { Clock } from "#lib/clock.ts"
import { packHeads, unpackHeads } from "./packed-heads.ts"

export interface KeptHeadsParts {
  readonly where: ExtensionPlace
  readonly trusted: boolean
  readonly find: (onLook: OnPathRead) => readonly CommandFile[]
  /** Those that come with the program. */
  readonly builtIn: () => readonly CommandDefinition[]
  readonly clock: Pick<Clock, "now">
}

/** Fewer are found as quickly without it. */
const fewest = 50
/** Of projects. */
const mostFiles = 20

export function openKeptHeads(parts: KeptHeadsParts): KeptHeads & { readonly files: () => readonly CommandFile[] } {
  const { where, trusted } = parts
  const folder = join(where.stateFolder, "cache", "extension-lists")
  const result = openKeptResult(join(folder, `${Bun.hash(where.cwd).toString(36)}.json`), "followed")
  const isKept = (where.plugins ?? []).every(({ states }) => states !== undefined)
  let last: { readonly sinceMs: number; readonly looked: readonly string[] } | undefined
  return {
    files() {
      const looked: string[] = []
      last = { sinceMs: parts.clock.now(), looked }
      return parts.find((path) => void looked.push(path))
    },
    read() {
      // Reading the folder costs nothing where no list was ever kept.
      if (!isKept || !existsSync(folder)) return undefined
      const kept = result.read(keyOf(parts))?.value
      return kept === undefined ? undefined : unpackHeads(kept, parts.builtIn())
    },
    write(heads) {
      if (!isKept || !last || heads.length < fewest) return
      const places = foldersOf(where)
      // There, links that lead out of the folder are left out, which no state of a file tells.
      if (!trusted && places.some(({ source, path }) => source === "project" && existsSync(path))) return
      const paths = [...new Set([...places.map(({ path }) => path), ...last.looked])]
      const value = packHeads(heads)
      if (value === undefined) return
      makeRoom(folder)
      result.write({ key: keyOf(parts), paths, sinceMs: last.sinceMs, value })
    },
  }
}

const foldersOf = (where: ExtensionPlace) => [
  ...possibleFolders(where, "skills"),
  ...possibleFolders(where, "commands"),
]

const keyOf = ({ where, trusted }: KeptHeadsParts): string =>
  JSON.stringify([
    trusted,
    foldersOf(where),
    (where.plugins ?? []).map(({ name, root, data, states, skills, commands }) => [
      name,
      root,
      data,
      states,
      skills,
      commands,
    ]),
  ])

function makeRoom(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const files = readdirSync(folder).map((name) => join(folder, name))
    const byAge = files.map((path) => ({ path, at: statSync(path).mtimeMs })).toSorted((a, b) => b.at - a.at)
    for (const { path } of byAge.slice(mostFiles - 1)) rmSync(path, { force: true })
  } catch {
    // There is one more or none.
  }
}
