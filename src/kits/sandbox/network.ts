/** Which hosts a confined program can reach, according to settings and WebFetch rules. */

import type { HostLine, NetworkPolicy, PolicyLine } from "#ground/sandbox/policy.ts"
import { distinctBy } from "./distinct.ts"
import type { HostRule, SandboxSource } from "./facts.ts"

export interface NetworkParts {
  readonly settings: readonly SandboxSource[]
  readonly hosts: readonly HostRule[]
  readonly canAsk: boolean
  readonly unixSockets: readonly PolicyLine[]
}

export interface NetworkLines {
  readonly network: NetworkPolicy
  readonly notes: readonly string[]
}

export function networkOf({ settings, hosts, canAsk, unixSockets }: NetworkParts): NetworkLines {
  const notes: string[] = []
  const named = (key: "allowedDomains" | "deniedDomains"): readonly HostLine[] =>
    settings.flatMap(({ file, value }) =>
      (value.network?.[key] ?? []).flatMap((text) => {
        const host = hostOf(text)
        if (host !== undefined) return [{ host, because: `sandbox.network.${key} in ${file}` }]
        notes.push(`not a host: "${text}" of sandbox.network.${key} in ${file}; write example.com or *.example.com`)
        return []
      }),
    )
  const ruled = (behavior: HostRule["behavior"]): readonly HostRule[] =>
    hosts.filter((rule) => rule.behavior === behavior)
  const lineOf = ({ host, text, behavior, source }: HostRule): HostLine => ({
    host,
    because: `the ${behavior} rule ${text} (${source})`,
  })
  const asked = new Set(ruled("ask").map(({ host }) => host))
  const denied = distinctBy(({ host }) => host, [...named("deniedDomains"), ...ruled("deny").map(lineOf)])
  const everything = denied.find(({ host }) => host === "*")
  if (everything) return { network: { mode: "off", because: everything.because }, notes }
  const allowed = distinctBy(
    ({ host }) => host,
    [
      ...named("allowedDomains"),
      ...ruled("allow")
        // Fetching any page does not mean reaching any host; and a repository's own settings open nothing.
        .filter(({ host, source }) => host !== "*" && source !== "project settings" && !asked.has(host))
        .map(lineOf),
    ],
  )
  return { network: { mode: "domains", allowed, denied, others: canAsk ? "ask" : "deny", unixSockets }, notes }
}

/** Normalised for comparison: lower case, without a trailing dot. */
function hostOf(text: string): string | undefined {
  const host = text.trim().toLowerCase()
  if (host === "*") return host
  const [, name, port = ""] = /^((?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)\.?(:\d{1,5})?$/.exec(host) ?? []
  if (name !== undefined) return `${name}${port}`
  const [, address, at = ""] = /^\[?([0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*)\]?(?:(?<=\])(:\d{1,5}))?$/.exec(host) ?? []
  return address !== undefined && URL.canParse(`http://[${address}]/`) ? `[${address}]${at}` : undefined
}
