/** What the managed policy says about marketplaces: which may be used, and which may not. */

import { isObject, type JsonValue } from "#lib/json.ts"
import type { MarketplaceSource } from "./source.ts"

export interface MarketplacePolicy {
  /** Absent: any. Empty: none. */
  readonly allowed?: readonly JsonValue[]
  readonly blocked: readonly JsonValue[]
}

/** Why a marketplace may not be used, as a sentence; undefined if it may. Without a source: a plugin that comes from none. */
export function policyProblem(
  { allowed, blocked }: MarketplacePolicy,
  name: string | undefined,
  source: MarketplaceSource | undefined,
): string | undefined {
  if (blocked.some((one) => matches(one, name, source)))
    return `The managed settings block ${name === undefined ? "this source" : `the marketplace ${name}`}.`
  if (allowed === undefined) return undefined
  if (name === undefined) return "The managed settings only allow plugins of listed marketplaces."
  return allowed.some((one) => matches(one, name, source))
    ? undefined
    : `The managed settings do not list the marketplace ${name}, so it cannot be used.`
}

/** An entry is a source as in settings, `owner/*`, or a pattern for a host or a path. One that nobody understands allows nothing and blocks nothing. */
function matches(entry: JsonValue, name: string | undefined, source: MarketplaceSource | undefined): boolean {
  if (typeof entry === "string") return entry === name || (source !== undefined && isRepo(entry, source))
  if (!isObject(entry) || source === undefined) return false
  const { repo, url, path, ref, hostPattern, pathPattern } = entry
  switch (entry.source) {
    case "github":
      return typeof repo === "string" && isRepo(repo, source) && isRef(ref, source)
    case "git":
    case "url":
      return typeof url === "string" && sameAddress(url, source) && isRef(ref, source)
    case "npm":
      return source.kind === "npm" && source.package === entry.package
    case "file":
    case "directory":
      return source.kind === "folder" && source.path === path
    case "hostPattern":
      return typeof hostPattern === "string" && isLike(hostPattern, hostOf(source))
    case "pathPattern":
      return typeof pathPattern === "string" && source.kind === "folder" && isLike(pathPattern, source.path)
    default:
      return false
  }
}

const github = /^(?:https:\/\/github\.com\/|ssh:\/\/git@github\.com\/|git@github\.com:)([^/]+\/[^/]+?)(?:\.git)?\/?$/i

function isRepo(repo: string, source: MarketplaceSource): boolean {
  const own = source.kind === "git" ? github.exec(source.url)?.[1]?.toLowerCase() : undefined
  if (own === undefined) return false
  const wanted = repo.toLowerCase()
  return wanted.endsWith("/*") ? own.startsWith(wanted.slice(0, -1)) : own === wanted
}

const isRef = (ref: JsonValue | undefined, source: MarketplaceSource): boolean =>
  ref === undefined || (source.kind === "git" && source.ref === ref)

function sameAddress(url: string, source: MarketplaceSource): boolean {
  const plain = (text: string): string => text.replace(/(?:\.git)?\/?$/, "").toLowerCase()
  return "url" in source && plain(source.url) === plain(url)
}

function hostOf(source: MarketplaceSource): string | undefined {
  if (!("url" in source)) return undefined
  return URL.parse(source.url)?.hostname ?? /^[^@]+@([^:]+):/.exec(source.url)?.[1]
}

function isLike(pattern: string, text: string | undefined): boolean {
  if (text === undefined) return false
  try {
    return new RegExp(pattern).test(text)
  } catch {
    return false
  }
}
