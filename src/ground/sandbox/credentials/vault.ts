/** The credentials of a session: programs get sentinels of them, and only the proxy knows what they stand for. See decision 97. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type HostPattern, covers, parseHostPattern } from "#ground/sandbox/network/hosts.ts"
import type { MountedCopy } from "#ground/sandbox/mounts.ts"
import type { CredentialLine } from "#ground/sandbox/policy.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { type Authority, type Issued, openAuthority } from "./certificate.ts"
import type { Exchanged } from "./exchange.ts"
import { rootsKey, rootVariables, type RootVariables, trustedRoots } from "./roots.ts"
import { findSecrets } from "./secret-files.ts"
import { isReplaceable, sentinelFor } from "./sentinel.ts"

/** What a program gets in place of credentials. */
export interface HandedIn {
  /** Sentinels, and where the certificates are that it must trust. */
  readonly variables: Readonly<Record<string, string>>
  /** Copies with sentinels, and the paths at which they are seen. */
  readonly copies: readonly MountedCopy[]
  /** Files of ours that the variables name. */
  readonly reads: readonly string[]
}

export interface Vault {
  readonly handIn: (lines: readonly CredentialLine[], env: Readonly<Record<string, string>>) => HandedIn
  /** What belongs to a host, of all that was handed in so far. */
  readonly of: (host: string, port: number) => readonly Exchanged[]
  /** The certificate with which the proxy answers in a host's name. */
  readonly certificateFor: (host: string) => Issued
  /** The certificates by which the real servers are known. */
  readonly roots: () => readonly string[]
}

interface Credential extends Exchanged {
  readonly hosts: readonly HostPattern[]
}

export interface VaultOptions {
  /** For files that are shown inside: nothing secret is ever written there. */
  readonly folder: string
  readonly ids: Ids
  readonly clock: Clock
}

const usualPort = 443
/** A longer file is not one that people keep passwords in. */
const largestFile = 1_000_000

export function openVault({ folder, ids, clock }: VaultOptions): Vault {
  const known = new Map<string, Credential>()
  const files = new Map<string, { readonly stamp: string; readonly copy: MountedCopy | undefined }>()
  const written = new Map<string, string>()
  const issued = new Map<string, Issued>()
  let authority: Authority | undefined
  let roots: readonly string[] = []
  let trusting: { readonly key: string; readonly made: RootVariables } | undefined

  /** Files are never changed, as a running command may have them in sight. */
  function write(text: string, name: string): string {
    const before = written.get(text)
    if (before !== undefined) return before
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${written.size}-${name}`)
    writeFileSync(path, text, { mode: 0o600 })
    written.set(text, path)
    return path
  }

  function sentinelOf(source: string, secret: string, hosts: readonly string[]): string {
    const key = JSON.stringify([source, secret, hosts])
    const credential = known.get(key) ?? { secret, sentinel: sentinelFor(secret, ids), hosts: hosts.flatMap(patternOf) }
    known.set(key, credential)
    return credential.sentinel
  }

  function copyOf(
    path: string,
    line: CredentialLine & { readonly from: { readonly kind: "file" } },
  ): MountedCopy | undefined {
    const text = readFileSync(path, "utf8")
    const found = findSecrets(line.from.format, text)
    if (found === undefined || !found.every(({ secret }) => isReplaceable(secret))) return undefined
    let [copy, at] = ["", 0]
    for (const { start, end, secret, hosts, write: spell } of found) {
      copy += text.slice(at, start) + spell(sentinelOf(path, secret, line.hosts ?? hosts))
      at = end
    }
    return { path, from: write(copy + text.slice(at), basename(path)) }
  }

  /** Undefined if it is not there or not understood; it stays hidden then. */
  function fileCopy(line: CredentialLine): MountedCopy | undefined {
    if (!isOfFile(line)) return undefined
    const { path } = line.from
    try {
      const { size, mtimeMs, ctimeMs, ino } = statSync(path)
      if (size > largestFile) return undefined
      const stamp = JSON.stringify([size, mtimeMs, ctimeMs, ino, line.hosts])
      const before = files.get(path)
      if (before?.stamp === stamp) return before.copy
      const copy = copyOf(path, line)
      files.set(path, { stamp, copy })
      return copy
    } catch {
      return undefined
    }
  }

  function trust(env: Readonly<Record<string, string>>): RootVariables {
    authority ??= openAuthority("Codewright sandbox (this session only)", clock.now)
    const hosts = [...known.values()].flatMap((credential) => credential.hosts)
    const key = JSON.stringify([rootsKey(env), hosts])
    if (trusting?.key === key) return trusting.made
    roots = trustedRoots(env)
    trusting = { key, made: rootVariables(env, { roots, own: authority.certificate, hosts, write }) }
    return trusting.made
  }

  return {
    handIn(lines, env) {
      const variables = lines.flatMap(({ from, hosts = [] }) => {
        const secret = from.kind === "variable" ? env[from.name] : undefined
        if (from.kind !== "variable" || secret === undefined || !isReplaceable(secret)) return []
        return [[from.name, sentinelOf(from.name, secret, hosts)] as const]
      })
      const copies = lines.flatMap((line) => fileCopy(line) ?? [])
      const isUsable = known.values().some(({ hosts }) => hosts.length > 0)
      const trusted = isUsable ? trust(env) : undefined
      return {
        variables: { ...Object.fromEntries(variables), ...trusted?.variables },
        copies,
        reads: trusted?.reads ?? [],
      }
    },
    of: (host, port) => [...known.values()].filter(({ hosts }) => hosts.some((pattern) => covers(pattern, host, port))),
    certificateFor(host) {
      const made = issued.get(host) ?? authority?.issue(host)
      if (made === undefined) throw new Error("no credential was handed in")
      issued.set(host, made)
      return made
    },
    roots: () => roots,
  }
}

const isOfFile = (line: CredentialLine): line is CredentialLine & { readonly from: { readonly kind: "file" } } =>
  line.from.kind === "file"

function patternOf(text: string): readonly HostPattern[] {
  const pattern = parseHostPattern(text)
  return pattern.ok && pattern.value.kind !== "any" ? [{ port: usualPort, ...pattern.value }] : []
}
