/** Which credentials a confined command can use without seeing them, and at which hosts. */

import { variableHosts } from "#ground/sandbox/credentials/known-hosts.ts"
import type { CredentialFormat, CredentialLine, PolicyLine } from "#ground/sandbox/policy.ts"
import { liesInOne } from "#lib/lies-in.ts"
import type { CredentialSettings } from "#ground/settings/settings.ts"
import type { Disk, SandboxPlace, SandboxSource } from "./facts.ts"

/** Files of the home folder in which programs keep tokens for code hosts and registries. */
const knownFiles: readonly (readonly [path: string, format: CredentialFormat])[] = [
  [".npmrc", "npmrc"],
  [".netrc", "netrc"],
  [".git-credentials", "git-credentials"],
  [".config/git/credentials", "git-credentials"],
  [".config/gh/hosts.yml", "gh"],
  [".pypirc", "pypirc"],
  [".cargo/credentials.toml", "cargo"],
  [".cargo/credentials", "cargo"],
]

interface CredentialEntry extends CredentialSettings {
  readonly because: string
  readonly base: string
}

export interface SaidCredentials {
  readonly entries: readonly CredentialEntry[]
  readonly withKnown: boolean
}

/** Strongest first: what a weaker source says after an `off` does not count, nor does a second line about the same. */
export function saidCredentials(settings: readonly SandboxSource[]): SaidCredentials {
  const entries: CredentialEntry[] = []
  for (const { file, base, value } of settings) {
    if (value.credentials === "off") return { entries, withKnown: false }
    for (const entry of value.credentials ?? [])
      if (!entries.some(({ env, file: path }) => env === entry.env && path === entry.file))
        entries.push({ ...entry, base, because: `sandbox.credentials in ${file}` })
  }
  return { entries, withKnown: true }
}

/** Variables that are removed unless they are handed in. */
export const namedVariables = ({ entries }: SaidCredentials): readonly string[] =>
  entries.flatMap(({ env }) => env ?? [])

export interface CredentialParts {
  readonly said: SaidCredentials
  readonly place: SandboxPlace
  readonly disk: Disk
  /** How a path in settings is meant. */
  readonly pathOf: (text: string, base: string) => string
}

/** Files that settings name are secrets, wherever they are. */
export const namedFiles = ({ said, disk, pathOf }: Omit<CredentialParts, "place">): readonly PolicyLine[] =>
  said.entries.flatMap(({ file, base, because }) =>
    file === undefined ? [] : [{ path: disk.real(pathOf(file, base)), because }],
  )

export interface CredentialLimits {
  /** Variables that are handed in as they are. */
  readonly allowEnv: readonly string[]
  /** What a rule or setting denies, which nothing makes visible. */
  readonly denied: readonly PolicyLine[]
  readonly hidden: readonly PolicyLine[]
  /** Visible as they are. */
  readonly shown: readonly PolicyLine[]
}

export function credentialLines(parts: CredentialParts, limits: CredentialLimits): readonly CredentialLine[] {
  const { said, place, disk, pathOf } = parts
  const { entries, withKnown } = said
  const named = new Set(namedVariables(said))
  const inNpmrc = npmrcHosts(disk.text(`${place.home}/.npmrc`) ?? "")
  const variables: readonly CredentialLine[] = [
    ...entries.flatMap(({ env, hosts, because }) => (env === undefined ? [] : [variable(env, hosts, because)])),
    ...(withKnown
      ? Object.entries(variableHosts)
          .filter(([name]) => !named.has(name))
          .map(([name, hosts]) => variable(name, inNpmrc.get(name) ?? hosts, "a known credential"))
      : []),
  ]
  const files: readonly CredentialLine[] = [
    ...entries.flatMap(({ file, base, hosts, because }) => {
      const path = file === undefined ? undefined : disk.real(pathOf(file, base))
      return path === undefined
        ? []
        : [{ from: { kind: "file", path, format: formatOf(path) }, hosts, because } as const]
    }),
    ...(withKnown
      ? knownFiles.map(([name, format]): CredentialLine => ({
          from: { kind: "file", path: disk.real(`${place.home}/${name}`), format },
          because: "a known file with credentials",
        }))
      : []),
  ]
  const seen = new Set<string>()
  return [...variables, ...files].filter(({ from, hosts }) => {
    const key = from.kind === "variable" ? from.name : from.path
    if (seen.has(key)) return false
    seen.add(key)
    if (hosts?.length === 0) return false
    return from.kind === "variable" ? !limits.allowEnv.includes(from.name) : isCopied(from.path, disk, limits)
  })
}

const variable = (name: string, hosts: readonly string[], because: string): CredentialLine => ({
  from: { kind: "variable", name },
  hosts,
  because,
})

const paths = (lines: readonly PolicyLine[]): readonly string[] => lines.map(({ path }) => path)

/** Only what would be hidden otherwise, and not by a rule. */
const isCopied = (path: string, disk: Disk, { denied, hidden, shown }: CredentialLimits): boolean =>
  disk.kindOf(path) === "file" &&
  liesInOne(path, paths(hidden)) &&
  !liesInOne(path, paths(denied)) &&
  !liesInOne(path, paths(shown))

/** The registries for which the user's own file reads a token from a variable. */
function npmrcHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const [, host = "", name = ""] of text.matchAll(
    /^\s*\/\/([^/\s:]+(?::\d+)?)\S*:_authToken\s*=\s*"?\$\{(\w+)\}/gm,
  ))
    found.set(name, [...(found.get(name) ?? []), host])
  return found
}

function formatOf(path: string): CredentialFormat {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const known = knownFiles.find(([file]) => file.endsWith(`/${name}`) || file === name)
  return known?.[1] ?? "whole"
}
