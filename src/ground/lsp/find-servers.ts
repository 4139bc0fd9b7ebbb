/** Which language servers there are: those that are configured, and known ones on the PATH. Starts nothing. */

import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, extname, isAbsolute, join } from "node:path"
import { isObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { type KnownProgram, knownServers } from "./known-servers.ts"
import { type LanguageServer, readWish, type WrittenLanguageServer } from "./server-config.ts"
import { namesIn } from "#lib/quietly.ts"

export interface ServersWanted {
  /** Strongest first: of one name the first counts. */
  readonly written: readonly WrittenLanguageServer[]
  /** Whether known servers are looked for on the PATH. */
  readonly finds: boolean
  readonly path: string | undefined
}

export interface FoundLanguageServers {
  readonly servers: readonly LanguageServer[]
  /** For the user. */
  readonly problems: readonly string[]
}

export function findLanguageServers({ written, finds, path }: ServersWanted): FoundLanguageServers {
  const problems: string[] = []
  const off = new Set<string>()
  const found = new Map<string, LanguageServer>()
  if (finds) for (const server of onPath(path)) found.set(server.name, server)
  const seen = new Set<string>()
  const own: LanguageServer[] = []
  for (const one of written) {
    if (seen.has(one.name)) continue
    seen.add(one.name)
    const wish = readWish(one)
    if (!wish.ok) {
      problems.push(wish.failure)
      continue
    }
    if (wish.value.kind === "disabled") off.add(one.name)
    else if (wish.value.kind === "server") own.push(wish.value.server)
    else {
      const before = found.get(one.name)
      if (before) own.push({ ...before, ...wish.value.change, source: changedSource(one.source) })
      else if (finds) problems.push(`lsp.${one.name} in ${one.file}: command is missing.`)
    }
  }
  const named = new Set([...own.map(({ name }) => name), ...off])
  // What is configured comes first: of two servers for one file the first counts.
  return { servers: [...own, ...[...found.values()].filter(({ name }) => !named.has(name))], problems }
}

/** Who changes a server that was found did not choose its program, unless they are the user. */
const changedSource = (source: WrittenLanguageServer["source"]): LanguageServer["source"] =>
  source === "settings" ? "path" : source

function onPath(path: string | undefined): readonly LanguageServer[] {
  const folders = (path ?? "").split(":").filter((folder) => isAbsolute(folder))
  return knownServers.flatMap(({ name, programs, languages }) => {
    for (const program of programs) {
      const command = findProgram(program, folders)
      const { args, initializationOptions } = program
      if (command !== undefined)
        return [
          {
            name,
            source: "path" as const,
            command,
            args,
            env: {},
            languages,
            ...optional("initializationOptions", initializationOptions),
          },
        ]
    }
    return []
  })
}

function findProgram(program: KnownProgram, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, program.command)).find((file) => isProgram(file) && fits(program, file))
}

/** The whole path of a command; undefined if there is no such program. */
export function resolveCommand(command: string, path: string | undefined): string | undefined {
  if (isAbsolute(command)) return isProgram(command) ? command : undefined
  return findProgram(
    { command, args: [] },
    (path ?? "").split(":").filter((folder) => isAbsolute(folder)),
  )
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function fits({ package: wanted }: KnownProgram, file: string): boolean {
  if (wanted === undefined) return true
  try {
    const folder = dirname(dirname(realpathSync(file)))
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return (
      isObject(manifest) &&
      manifest.name === wanted.name &&
      typeof manifest.version === "string" &&
      Number.parseInt(manifest.version, 10) >= wanted.since
    )
  } catch {
    return false
  }
}

/** Whether a folder looks like a project that one of the servers knows, by the names at its root. */
export function isForProject(servers: readonly LanguageServer[], root: string): boolean {
  if (servers.length === 0) return false
  const names = namesIn(root)
  return servers.some(({ name, languages }) => {
    const marks = knownServers.find((known) => known.name === name)?.marks ?? []
    return names.some((file) => marks.includes(file) || Object.hasOwn(languages, extname(file).toLowerCase()))
  })
}

export const serverFor = <S extends Pick<LanguageServer, "languages">>(
  servers: readonly S[],
  path: string,
): S | undefined => {
  const extension = extname(path).toLowerCase()
  return servers.find(({ languages }) => Object.hasOwn(languages, extension))
}
