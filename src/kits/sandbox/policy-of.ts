/** Computes policies from settings, permission rules, mode and the disk; the only place that does. */

import { join, resolve } from "node:path"
import type { ReadOnlyLine, ProcessLimits, Policy, PolicyLine, ReplacedLine } from "#ground/sandbox/policy.ts"
import { onceEach } from "#lib/once-each.ts"
import { credentialVariables } from "./credential-variables.ts"
import { credentialLines, namedFiles, namedVariables, saidCredentials } from "./credentials.ts"
import type { Disk, PolicyFacts, SandboxSource } from "./facts.ts"
import { ownRepository, outside } from "./git-folders.ts"
import { alwaysHeld, opened, usuallyHeld } from "./read-only-lines.ts"
import { type HiddenParts, hiddenLines, ruledPaths, unenforceable } from "./hidden.ts"
import { isBelow, liesInOne } from "#lib/lies-in.ts"
import { distinct } from "./distinct.ts"
import { networkOf } from "./network.ts"
import { outermost, viewOf } from "./visible.ts"

export interface Policies {
  /** For commands that run without asking because they were judged read-only. */
  readonly reader: Policy
  /** The same with the whole disk in sight, except for secrets: for what opens nothing by itself. */
  readonly wideReader: Policy
  /** For commands when the sandbox is on; in plan mode the same as the reader's. */
  readonly workspace: Policy
  /** For hooks and servers that are programs: the mode limits the model, not them. */
  readonly programs: Policy
  /** Settings and rules that these policies do not enforce, as messages. */
  readonly notes: readonly string[]
}

/** Enough for a parallel build; stops a fork bomb. */
const usualProcesses = 2048

export function policiesOf(facts: PolicyFacts): Policies {
  const { disk, said, unixSockets, unread, deniedReads, reader, wideReader, lines, credentials } = openReader(facts)
  const { place, paths, surroundings } = facts
  const { hidden, shown } = lines
  const { limits } = reader
  const unwritten = ruledPaths(
    paths.filter(({ access }) => access === "write"),
    { place, disk, surroundings },
  )
  const reached = networkOf({ ...facts, unixSockets })
  const denied = [...unwritten.lines, ...said.lines("filesystem.denyWrite")]
  const { writes, held, notes } = written(facts, disk, { allowed: said.lines("filesystem.allowWrite"), denied })
  const allowEnv = facts.settings.flatMap(({ value }) => value.allowEnv ?? [])
  const workspace: Policy = {
    name: "workspace",
    writes,
    held,
    hidden,
    shown: [...shown, ...inTemporary(said.lines("filesystem.allowRead"), hidden)],
    replaced: replacedCaches(facts, disk),
    withoutVariables: {
      names: [...credentialVariables, ...namedVariables(credentials.said)],
      except: allowEnv,
    },
    credentials:
      reached.network.mode === "off"
        ? []
        : credentialLines(credentials, {
            allowEnv,
            denied: [...unread.lines, ...deniedReads],
            hidden,
            shown,
          }),
    temp: { folder: place.temp, asTmp: true },
    network: reached.network,
    limits,
  }
  return {
    reader,
    wideReader,
    workspace: facts.mode === "plan" ? reader : workspace,
    // Their variables were chosen by whoever configured them.
    programs: { ...workspace, withoutVariables: { names: [], except: [] }, credentials: [] },
    notes: [
      ...said.notes(),
      ...unread.notes,
      ...unwritten.notes,
      ...notes,
      ...reached.notes,
      ...(surroundings.unwalked ?? []),
    ],
  }
}

/** The reader policy alone, which does not depend on repositories: it is needed at once, and finding them takes a walk. */
export const readerOf = (facts: PolicyFacts): Pick<Policies, "reader" | "wideReader"> => openReader(facts)

/**
 * The same for commands about the processes, sockets and interfaces of the machine: those are seen as they are. What is
 * hidden and read-only stays so, and there is still nothing to connect to.
 */
export const machineReaderOf = (reader: Policy): Policy => ({
  ...reader,
  machine: true,
  shown: [
    ...(reader.shown ?? []),
    ...logins.filter(({ path }) => reader.hidden.some((line) => isBelow(path, line.path))),
  ],
})

/** `w`, `who` and `uptime` count from it. */
const logins: readonly PolicyLine[] = ["/run/utmp", "/run/systemd/sessions", "/run/systemd/users"].map((path) => ({
  path,
  because: "who is logged in",
}))

function openReader(facts: PolicyFacts) {
  const disk = remembering(facts.disk)
  const { place, settings, paths, surroundings } = facts
  const said = openSaid(settings, { home: place.home, disk })
  const unread = ruledPaths(
    paths.filter(({ access }) => access === "read"),
    { place, disk, surroundings },
  )
  const unixSockets = said.lines("network.allowUnixSockets")
  const pathOf = (text: string, base: string): string => absolute(text, base, place.home)
  const credentials = { said: saidCredentials(settings), place, disk, pathOf }
  const deniedReads = said.lines("filesystem.denyRead")
  const parts: HiddenParts = {
    place,
    disk,
    secrets: [...surroundings.secrets, ...namedFiles(credentials)],
    denied: deniedReads,
    allowed: [...said.lines("filesystem.allowRead"), ...unixSockets],
    ruled: unread.lines,
  }
  const lines = hiddenLines(parts)
  const view = viewOf(place, disk)
  const seen = hiddenLines(parts, view.hidden)
  const reader: Policy = {
    name: "reader",
    writes: [],
    held: [],
    hidden: seen.hidden,
    shown: outermost(distinct([...view.shown, ...seen.shown]), seen.hidden),
    temp: { folder: place.temp, asTmp: false },
    network: { mode: "off", because: "a command that only reads needs no network" },
    limits: limitsOf(settings, place.memoryBytes),
  }
  const wideReader: Policy = { ...reader, hidden: lines.hidden, shown: lines.shown }
  return { disk, said, unixSockets, unread, deniedReads, reader, wideReader, lines, credentials }
}

/** The session has its own temporary folders, so paths in the real ones must be mounted to be visible. */
function inTemporary(allowed: readonly PolicyLine[], hidden: readonly PolicyLine[]): readonly PolicyLine[] {
  const isThere = (path: string): boolean => ["/tmp", "/var/tmp"].some((folder) => isBelow(path, folder))
  return allowed.filter(({ path }) => isThere(path) && !liesInOne(path, pathsOf(hidden)))
}

function written(
  { place, surroundings, made = new Set() }: PolicyFacts,
  disk: Disk,
  { allowed, denied }: { readonly allowed: readonly PolicyLine[]; readonly denied: readonly PolicyLine[] },
): Pick<Policy, "writes" | "held"> & { readonly notes: readonly string[] } {
  const folders = [
    { path: disk.real(place.root), because: "the working folder" },
    ...place.added.map((path) => ({ path: disk.real(path), because: "an added folder" })),
  ]
  const refused = denied.map(({ path }) => path)
  const asked = [...folders, ...allowed]
  const git = outside(ownRepository(place.root, disk), pathsOf(asked))
  const wanted = distinct([...asked, ...git].filter(({ path }) => !liesInOne(path, refused)))
  const repositories = [...new Set([...surroundings.repositories, ...gitsAround(place.root, pathsOf(wanted), disk)])]
  const never = pathsOf(alwaysHeld({ place, disk, writable: pathsOf(wanted), repositories, made }))
  const isHeld = (line: PolicyLine): boolean => allowed.includes(line) && liesInOne(line.path, never)
  const writes = wanted.filter((line) => !isHeld(line))
  const writable = pathsOf(writes)
  const named: readonly ReadOnlyLine[] = denied
    .filter(({ path }) => writable.some((folder) => isBelow(path, folder)))
    .map((line) => ({ ...line, placeholder: { kind: "folder" } }))
  // The first line of a path gives its reason and its placeholder, and ours know better what a program expects there.
  const parts = { place, disk, writable, repositories, made }
  return {
    writes,
    held: distinct([...alwaysHeld(parts), ...named, ...opened(usuallyHeld(parts), allowed)]),
    notes: wanted.filter(isHeld).map(({ path, because }) => `${path} stays read-only, although ${because} names it`),
  }
}

const pathsOf = (lines: readonly PolicyLine[]): readonly string[] => lines.map(({ path }) => path)

/** Repositories of the writable folders themselves, which a walk may not have reached yet. */
function gitsAround(root: string, writable: readonly string[], disk: Disk): readonly string[] {
  const tops = [root, ...writable].map((folder) => join(folder, ".git"))
  const own = writable.filter((folder) => folder.endsWith(".git") || disk.kindOf(`${folder}/HEAD`) === "file")
  return [...tops, ...own].filter((path) => disk.kindOf(path) !== undefined)
}

function openSaid(
  settings: readonly SandboxSource[],
  { home, disk }: { readonly home: string; readonly disk: Disk },
): {
  readonly lines: (key: `filesystem.${FilesystemKey}` | "network.allowUnixSockets") => readonly PolicyLine[]
  readonly notes: () => readonly string[]
} {
  const notes: string[] = []
  return {
    lines: (key) =>
      distinct(
        settings.flatMap(({ file, base, value }) =>
          textsAt(value, key).flatMap((text): readonly PolicyLine[] => {
            const plain = text.replace(/(?<=.)\/\*{1,2}$/, "")
            const because = `sandbox.${key} in ${file}`
            if (!/[*?[]/.test(plain)) return [{ path: disk.real(absolute(plain, base, home)), because }]
            notes.push(unenforceable(`"${text}" of ${because}`, "name a file or a folder, or use a deny rule"))
            return []
          }),
        ),
      ),
    notes: () => notes,
  }
}

type FilesystemKey = "allowWrite" | "denyWrite" | "denyRead" | "allowRead"

function textsAt(value: SandboxSource["value"], key: string): readonly string[] {
  switch (key) {
    case "filesystem.allowWrite":
      return value.filesystem?.allowWrite ?? []
    case "filesystem.denyWrite":
      return value.filesystem?.denyWrite ?? []
    case "filesystem.denyRead":
      return value.filesystem?.denyRead ?? []
    case "filesystem.allowRead":
      return value.filesystem?.allowRead ?? []
    default:
      return value.network?.allowUnixSockets ?? []
  }
}

const absolute = (path: string, base: string, home: string): string =>
  path === "~" || path.startsWith("~/") ? resolve(home, `.${path.slice(1)}`) : resolve(base, path.replace(/^\/+/, "/"))

function limitsOf(settings: readonly SandboxSource[], memoryBytes: number): ProcessLimits {
  const limits = settings.map(({ value }) => value.limits)
  const memoryMb = limits.find((each) => each?.memoryMb !== undefined)?.memoryMb
  return {
    processes: limits.find((each) => each?.processes !== undefined)?.processes ?? usualProcesses,
    memoryBytes: memoryMb === undefined ? Math.floor((memoryBytes * 3) / 4) : memoryMb * 1024 * 1024,
  }
}

const cacheFolders: readonly string[] = [
  ".npm",
  ".cache",
  ".cargo/registry",
  ".cargo/git",
  ".bun/install/cache",
  ".yarn/berry",
  ".local/share/pnpm/store",
  ".gradle/caches",
  ".m2/repository",
  "go/pkg/mod",
]

/** With `private`, a session folder is mounted over each cache, so that programs can write there without changing it. */
function replacedCaches({ settings, place }: PolicyFacts, disk: Disk): readonly ReplacedLine[] {
  const source = settings.find(({ value }) => value.caches !== undefined)
  if (source?.value.caches !== "private") return []
  // A mount needs an existing target.
  const there = cacheFolders.filter((name) => disk.kindOf(`${place.home}/${name}`) === "folder")
  return there.map((name) => ({
    path: disk.real(`${place.home}/${name}`),
    from: `${place.temp}/caches/${name.replaceAll("/", "-")}`,
    because: `sandbox.caches in ${source.file}`,
  }))
}

/** For one policy: the same few folders are asked about for every line. */
export function remembering(disk: Disk): Disk {
  return {
    kindOf: onceEach(disk.kindOf),
    isLink: onceEach(disk.isLink),
    real: onceEach(disk.real),
    list: onceEach(disk.list),
    text: onceEach(disk.text),
  }
}
