/** What a confined program cannot read: secrets, and what settings and rules deny; and exceptions within. */

import type { PolicyLine } from "#ground/sandbox/policy.ts"
import type { Disk, PathDenial, SandboxPlace, Surroundings } from "./facts.ts"
import { distinct } from "./distinct.ts"
import { isBelow, liesIn, liesInOne } from "#lib/lies-in.ts"
import { isWild, plainPath } from "./surroundings-scan.ts"
import { neededInSystem, perhapsSecretAtHome, secretsAtHome, secretsInSystem } from "./secret-paths.ts"
import { secretsInState } from "./state-secrets.ts"

export interface HiddenParts {
  readonly place: SandboxPlace
  readonly disk: Disk
  readonly secrets: readonly PolicyLine[]
  /** From settings, links resolved. */
  readonly denied: readonly PolicyLine[]
  readonly allowed: readonly PolicyLine[]
  /** From deny rules, links resolved. */
  readonly ruled: readonly PolicyLine[]
}

export interface HiddenLines {
  readonly hidden: readonly PolicyLine[]
  readonly shown: readonly PolicyLine[]
}

/**
 * The more specific path wins; for the same path, a deny does. A setting never overrides a rule. `around` is hidden for
 * the sake of what may lie in it.
 */
export function hiddenLines(
  { place, disk, secrets, denied, allowed, ruled }: HiddenParts,
  around: readonly PolicyLine[] = [],
): HiddenLines {
  const isDenied = (path: string): boolean => denied.some((line) => line.path === path)
  const open = allowed.filter(
    ({ path }) =>
      !isDenied(path) &&
      !liesInOne(
        path,
        ruled.map((line) => line.path),
      ),
  )
  const usual = secrets.filter(({ path }) => !open.some((line) => line.path === path))
  const hidden = distinct([...ruled, ...denied, ...usual, ...around])
  const own = place.ownState.map((path) => ({ path: disk.real(path), because: "sessions and notes of this project" }))
  const needed = neededInSystem.flatMap(({ paths, because }) =>
    paths.filter((path) => disk.kindOf(path) !== undefined).map((path) => ({ path, because })),
  )
  const shown = [...own, ...open, ...needed].filter(({ path }) => hidden.some((line) => isBelow(path, line.path)))
  return { hidden, shown: distinct(shown) }
}

/** Locations of secrets, existing or not, with links resolved. */
export function secretLines(place: SandboxPlace, disk: Disk): readonly PolicyLine[] {
  const { home, accountHome = home, state, uid } = place
  const homes = [...new Set([home, accountHome])]
  const below = (folder: string, rows: typeof secretsAtHome): readonly PolicyLine[] =>
    rows.flatMap(({ paths, because }) => paths.map((path) => ({ path: `${folder}/${path}`, because })))
  const perhaps = homes.flatMap((folder) =>
    perhapsSecretAtHome
      .filter(({ path, secret }) => secret.test(disk.text(`${folder}/${path}`) ?? ""))
      .map(({ path, because }) => ({ path: `${folder}/${path}`, because })),
  )
  const system = secretsInSystem.flatMap(({ paths, because }) => paths.map((path) => ({ path, because })))
  const others: readonly PolicyLine[] = [
    ...(uid === undefined ? [] : [{ path: `/run/user/${uid}`, because: "sockets and secrets of your login" }]),
    ...(uid === 0 || home === "/root" ? [] : [{ path: "/root", because: "the home of another user" }]),
  ]
  const all = [...homes.flatMap((folder) => below(folder, secretsAtHome)), ...perhaps, ...below(state, secretsInState)]
  return [...all, ...system, ...others].map(({ path, because }) => ({ path: disk.real(path), because }))
}

export interface RuledPaths {
  readonly lines: readonly PolicyLine[]
  /** Rules that no list of paths can enforce, with the reason. */
  readonly notes: readonly string[]
}

export function ruledPaths(
  rules: readonly PathDenial[],
  {
    place,
    disk,
    surroundings,
  }: { readonly place: SandboxPlace; readonly disk: Disk; readonly surroundings: Surroundings },
): RuledPaths {
  const notes: string[] = []
  const lines = rules.flatMap((rule) => {
    const because = `the deny rule ${rule.text} (${rule.source})`
    if (rule.areas.length === 0 && rule.access === "write") return [{ path: "/", because }]
    const paths = rule.areas.flatMap((area) =>
      isWild(area.steps) ? (surroundings.matches.get(rule.text) ?? []) : [plainPath(area)],
    )
    const real = [...new Set(paths.map(disk.real))]
    // Without the working folder, or the whole disk, no program could run.
    const isTooWide = (path: string): boolean => liesIn(disk.real(place.root), path)
    if (rule.areas.length === 0 || (rule.access === "read" && real.some(isTooWide)))
      notes.push(unenforceable(rule.text, "it means all of the working folder"))
    else if (surroundings.unfinished.has(rule.text))
      notes.push(unenforceable(rule.text, "there are too many files to find all that it means"))
    return real.filter((path) => rule.access === "write" || !isTooWide(path)).map((path) => ({ path, because }))
  })
  return { lines: distinct(lines), notes }
}

export const unenforceable = (text: string, why: string): string => `not enforceable as a path: ${text} (${why})`
