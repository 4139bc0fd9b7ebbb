/** What lies in the folders that confined commands can write, looked at before the first command and after each one. */

import { openKnownFolders } from "#ground/workspace/search/known-folders.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { makeListable, setAside } from "#ground/workspace/set-aside.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import type { PathDenial, Surroundings } from "#kits/sandbox/facts.ts"
import { type LeftBehind, openLeftBehind } from "#kits/sandbox/left-behind.ts"
import { protectedRepositories, scanSurroundings } from "#kits/sandbox/surroundings-scan.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"

export interface SurroundingsParts {
  readonly rules: () => readonly PermissionRule[]
  readonly roots: () => readonly string[]
  readonly paths: (rules: readonly PermissionRule[]) => readonly PathDenial[]
  readonly secrets: () => Surroundings["secrets"]
  /** A path as notes show it. */
  readonly shown: (path: string) => string
  /** For temporary files of commands. */
  readonly temp: string
  readonly clock: Clock
}

export interface PolicySurroundings {
  /** As they are now, after everything that commands left behind so far has been checked. */
  readonly now: () => Promise<Surroundings>
  /** Resolves when it has been checked. Never rejects. */
  readonly settled: () => Promise<void>
  readonly left: LeftBehind
  /** Every folder that is looked through. */
  readonly roots: () => readonly string[]
  /** Adds folders that are looked through from now on. */
  readonly add: (folders: readonly string[]) => void
  /** Whether a walk for these rules was made. */
  readonly isFor: (rules: readonly PermissionRule[]) => boolean
}

interface WalkWanted extends Partial<Pick<Surroundings, "secrets">> {
  readonly roots: readonly string[]
}

interface Around {
  readonly rules: readonly PermissionRule[]
  /** When secrets were looked for. */
  readonly at: number
  readonly found: Surroundings
}

/** How long a new secret may go unnoticed. */
const freshMs = 30_000

export function openPolicySurroundings({
  rules,
  roots,
  paths,
  secrets,
  shown,
  temp,
  clock,
}: SurroundingsParts): PolicySurroundings {
  const folders = openKnownFolders({ disk: plainDisk, now: clock.now })
  const behind = openLeftBehind({ disk: plainDisk, setAside, shown })
  let around: Around | undefined
  let unreadable: ReadonlySet<string> = new Set()
  /** Further folders that settings make writable. */
  let more: readonly string[] = []
  let isWalked = false
  let isCutTold = false

  /** Also finds what commands left behind, and renames what would act. One at a time. */
  async function scan(from: readonly PermissionRule[], wanted: WalkWanted): Promise<Surroundings> {
    let last = clock.now()
    const yieldToLoop = async (): Promise<void> => {
      if (clock.now() - last < sliceMs) return
      await clock.sleep(0, never)
      last = clock.now()
    }
    const disk = { ...plainDisk, list: folders.list }
    for (let round = 0; ; round++) {
      const check = behind.check()
      const isKnown = isWalked ? folders.isKnown : undefined
      const found = await scanSurroundings({
        roots: wanted.roots.map(plainDisk.real),
        paths: paths(from),
        disk,
        yieldToLoop,
        aside: [plainDisk.real(temp)],
        ...(isKnown && { isKnown }),
      })
      const closed = folders.takeUnreadable()
      // A command may leave a folder that nobody can list, but that git can use.
      const left = behind.isDue() ? closed.filter((path) => !unreadable.has(path)) : []
      if (round < mostRounds && left.map(makeListable).includes(true)) continue
      for (const path of left) behind.note(`${shown(path)} was left by a command and cannot be looked into.`)
      unreadable = new Set(closed)
      const unwalked = found.unwalked ?? []
      if (behind.isDue() && unwalked.length > 0 && !isCutTold) {
        isCutTold = true
        behind.note(`${unwalked.join(" ")} New repositories there were not looked for after this command either.`)
      }
      check({ repositories: found.repositories, isCut: unwalked.length > 0 })
      isWalked = true
      const protectedFound = protectedRepositories(behind.others())
      return {
        ...found,
        ...protectedFound,
        unwalked: [...unwalked, ...(protectedFound.unwalked ?? [])],
        secrets: wanted.secrets ?? secrets(),
      }
    }
  }

  let working: Promise<unknown> = Promise.resolve()

  /** Nothing that follows waits for a failure, and a walk never sees half of another. */
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = working.then(act)
    working = done.catch(() => {})
    return done
  }

  const rootsNow = (): readonly string[] => [...roots(), ...more]

  const settled = (): Promise<void> =>
    inTurn(async () => {
      if (behind.isDue()) await renew()
    }).catch((error: unknown) => behind.note(unchecked(error)))

  async function renew(): Promise<Surroundings> {
    const from = rules()
    const at = rootsNow()
    const isSame = around !== undefined && around.rules === from && clock.now() - around.at <= freshMs
    const found = await scan(from, { roots: at, ...optional("secrets", isSame ? around?.found.secrets : undefined) })
    around = { rules: from, at: isSame && around ? around.at : clock.now(), found: kept(around?.found, found) }
    return around.found
  }

  const now = (): Promise<Surroundings> => inTurn(renew)

  return {
    now,
    settled,
    left: behind,
    roots: rootsNow,
    add(others) {
      more = [...more, ...others]
    },
    isFor: (from) => around?.rules === from,
  }
}

/** How long nothing else can happen. */
const sliceMs = 8

/** How often folders are opened that a command left closed. */
const mostRounds = 50

const unchecked = (error: unknown): string =>
  `What this command left behind could not be checked (${error instanceof Error ? error.message : String(error)}). Look at new repositories and start files before you use them.`

const never: AbortSignal = new AbortController().signal

/** The same object if it says the same, so that a policy made from it can be used again. */
const kept = (before: Surroundings | undefined, now: Surroundings): Surroundings =>
  before && textOf(before) === textOf(now) ? before : now

const textOf = ({ repositories, matches, secrets, unfinished, unwalked }: Surroundings): string =>
  JSON.stringify([repositories, [...matches], secrets, [...unfinished], unwalked])
