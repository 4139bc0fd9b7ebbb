/** Every available command and skill. Files are found by name and read when needed, so a change applies at once. */

import type { CommandDefinition } from "#agent/words/command.ts"
import type { Head, HeadIndex } from "#ground/extensions/head-index.ts"
import { lazily } from "#lib/lazily.ts"
import { type CommandFile, decodeCommand, type RuleCheck } from "./decode.ts"

export interface CatalogPorts {
  /** Of the project, then the user, then built-in; nearest first. */
  readonly files: () => readonly CommandFile[]
  /** Whether the project may override other commands. Until it is trusted, it can only add names. */
  readonly trusted: boolean
  readonly wrongWith: RuleCheck
  /** What heads said when they were last read. */
  readonly heads?: HeadIndex
  /** The whole list as it was last made. */
  readonly kept?: KeptHeads
}

export interface KeptHeads {
  /** Undefined if something that it was made of was touched since. */
  readonly read: () => readonly Head[] | undefined
  /** After it was made of the files that were found last. */
  readonly write: (heads: readonly Head[]) => void
}

export interface Catalog {
  readonly find: (name: string) => CommandDefinition | undefined
  /** Why the file of a name was rejected; it keeps its name, so that nothing less strict takes its place. */
  readonly rejected: (name: string) => string | undefined
  /** Without their texts, which are read when one is used. */
  readonly list: () => readonly Head[]
  /** The files of all names, as last found. */
  readonly files: () => readonly CommandFile[]
  /** Files may have changed: the next list scans again. */
  readonly forget: () => void
  /** Records what each allows now, once, before the session starts to act. */
  readonly settle: () => void
  /** Whether it allows no more than it did then, and has the same hooks. Anything that runs in a session could have written the rest. */
  readonly isSettled: (definition: Head) => boolean
}

/** A list reads at most this many front matters; the other files can still be used. */
const mostRead = 1_000

/** `onReject` is told why a file was rejected, each time it is read. */
export function openCatalog(ports: CatalogPorts, onReject: (why: string) => void): Catalog {
  let listed: readonly Head[] | undefined
  let named: ReadonlyMap<string, CommandFile> | undefined
  let settled: (() => ReadonlyMap<string, SettledParts>) | undefined
  const rejected = new Map<string, string>()

  function lookUp(): ReadonlyMap<string, CommandFile> {
    const found = new Map<string, CommandFile>()
    const add = (file: CommandFile): void => void (found.has(file.name) || found.set(file.name, file))
    const last: CommandFile[] = []
    for (const file of ports.files())
      if (file.source === "project" && !ports.trusted) last.push(file)
      else add(file)
    for (const file of last) add(file)
    return found
  }

  function read(file: CommandFile): CommandDefinition | undefined {
    rejected.delete(file.name)
    if (file.definition) return file.definition
    const text = file.text()
    if (text === undefined) return undefined
    const decoded = decodeCommand(file, text, ports.wrongWith)
    if (decoded.ok) return decoded.value
    rejected.set(file.name, decoded.failure)
    onReject(decoded.failure)
    return undefined
  }

  const byName = (): ReadonlyMap<string, CommandFile> => (named ??= lookUp())

  function headOf(file: CommandFile): Head | undefined {
    const known = file.definition ?? ports.heads?.get(file)
    if (known) return known
    const whole = read(file)
    if (!whole) return undefined
    const { body: _text, ...head } = whole
    ports.heads?.put(file, head)
    return head
  }

  function list(): readonly Head[] {
    if (listed) return listed
    const kept = ports.kept?.read()
    listed = kept ?? [...byName().values()].slice(0, mostRead).flatMap((file) => headOf(file) ?? [])
    if (!kept) {
      ports.heads?.save()
      // Why a file was rejected is said each time.
      if (rejected.size === 0) ports.kept?.write(listed)
    }
    return listed
  }

  return {
    find(name) {
      const known = byName().get(name)
      const found = known && read(known)
      if (found) return found
      // It may have just been written or moved.
      named = lookUp()
      const file = named.get(name)
      return file && read(file)
    },
    rejected: (name) => rejected.get(name),
    list,
    files: () => [...byName().values()],
    forget() {
      listed = undefined
      named = undefined
    },
    settle() {
      if (settled) return
      const then = list()
      settled = lazily(() => new Map(then.map((head) => [keyOf(head.name, head.path), head])))
    },
    isSettled({ name, path, allowedTools, hooks }) {
      const then = settled?.().get(keyOf(name, path))
      const hadHooks = then ? then.hooks : hooks && {}
      return (
        allowedTools.every((rule) => then?.allowedTools.includes(rule) ?? false) &&
        JSON.stringify(hooks) === JSON.stringify(hadHooks)
      )
    },
  }
}

type SettledParts = Pick<Head, "allowedTools" | "hooks">

const keyOf = (name: string, path: string | undefined): string => `${name} ${path ?? ""}`
