/** Where a plugin or a marketplace comes from, as people write it and as files write it. */

import { homedir } from "node:os"
import { isAbsolute, resolve } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { plainPath } from "./tree.ts"

export type PluginSource =
  | { readonly kind: "folder"; readonly path: string }
  | {
      readonly kind: "git"
      readonly url: string
      /** A branch or a tag. */
      readonly ref?: string
      readonly commit?: string
      /** Within the repository. */
      readonly folder?: string
    }
  | { readonly kind: "archive"; readonly url: string; readonly sha256?: string; readonly folder?: string }
  | { readonly kind: "npm"; readonly package: string; readonly version?: string; readonly registry?: string }

/** What an entry of a marketplace may say besides. */
export type EntrySource = PluginSource | { readonly kind: "relative"; readonly folder: string }

/** As typed: a folder, `owner/repo`, an address of git, of an archive or of a JSON file, or `npm:name`. `#ref` and `:folder` may follow. */
export function sourceFromText(text: string, cwd: string): Result<PluginSource, string> {
  if (text.startsWith("npm:")) return npmSource({ package: text.slice(4) })
  if (/^(?:\.{1,2}$|\.{0,2}\/|~\/|~$)/.test(text)) return ok({ kind: "folder", path: folderOf(text, cwd) })
  const [address = "", fragment] = text.split("#", 2)
  const [ref, folder] = (fragment ?? "").split(":", 2)
  const more = {
    ...(ref !== undefined && ref !== "" && (isCommit(ref) ? { commit: ref } : { ref })),
    ...optional("folder", folder),
  }
  const tree = /^https:\/\/(github\.com\/[\w.-]+\/[\w.-]+)\/tree\/([\w.-]+)(?:\/(.+))?$/.exec(address)
  if (tree) return gitSource({ url: `https://${tree[1]}.git`, ref: tree[2] ?? "", ...optional("folder", tree[3]) })
  if (/^https?:\/\/[^\s]+\.(?:zip|tar|tar\.gz|tgz)$/.test(address))
    return archiveSource({
      url: address,
      ...(ref !== undefined && ref.startsWith("sha256=") && { sha256: ref.slice(7) }),
    })
  if (/^[\w-][\w.-]*\/[\w.-]+$/.test(address)) return gitSource({ url: githubUrl(address), ...more })
  return gitSource({ url: address, ...more })
}

/** The `source` of a marketplace's entry. `strings`: what a bare string is relative to, if anything. */
export function entrySource(value: JsonValue | undefined, pluginRoot: string): Result<EntrySource, string> {
  if (typeof value === "string") return relativeSource(value, pluginRoot)
  if (!isObject(value)) return failed("it has no source")
  const { source, repo, url, path, ref, sha, sha256, version, registry } = value
  const more = {
    ...optional("ref", textOf(ref)),
    ...optional("commit", textOf(sha)),
    ...optional("folder", textOf(path)),
  }
  switch (source) {
    case "github":
      return typeof repo === "string" && /^[\w-][\w.-]*\/[\w.-]+$/.test(repo)
        ? gitSource({ url: githubUrl(repo), ...more })
        : failed("its repo must be owner/name")
    case "url":
    case "git":
    case "gitlab":
    case "git-subdir":
      return gitSource({ url: addressOf(textOf(url) ?? textOf(repo) ?? ""), ...more })
    case "npm":
      return npmSource({
        package: textOf(value.package) ?? "",
        ...optional("version", textOf(version)),
        ...optional("registry", textOf(registry)),
      })
    case "archive":
      return archiveSource({
        url: textOf(url) ?? "",
        ...optional("sha256", textOf(sha256)),
        ...optional("folder", textOf(path)),
      })
    case "relative":
    case "local":
    case "directory":
      return relativeSource(textOf(path) ?? "", pluginRoot)
    case "command":
      return failed("it comes from a command, and installing runs nothing")
    case undefined:
      return failed("it has no source")
    default:
      return failed(`its source is of the kind ${JSON.stringify(source)}, which is not known`)
  }
}

/** The `source` of a marketplace in settings: `github`, `git`, `url`, `npm`, `file` or `directory`. */
export function marketplaceSource(value: JsonValue | undefined, base: string): Result<MarketplaceSource, string> {
  const inner = isObject(value) && isObject(value.source) ? value.source : value
  if (!isObject(inner)) return failed("it has no source")
  const { source, url, path } = inner
  if (source === "directory" || source === "file" || source === "local")
    return typeof path === "string" ? ok({ kind: "folder", path: folderOf(path, base) }) : failed("its path is missing")
  if (source === "url" && typeof url === "string" && !url.endsWith(".git")) return fileSource(url)
  // Here a path is where the file is, not a folder of the repository.
  const { path: file, ...rest } = inner
  const read = entrySource(rest, "")
  if (!read.ok) return read
  if (read.value.kind === "relative") return failed("its source must be an address")
  return ok({ ...read.value, ...optional("file", textOf(file)) })
}

export type MarketplaceSource = (PluginSource | { readonly kind: "file"; readonly url: string }) & {
  /** Where the marketplace's file is, if not in the usual place. */
  readonly file?: string
}

export function marketplaceFromText(text: string, cwd: string): Result<MarketplaceSource, string> {
  if (/^https?:\/\/[^\s#]+\.json$/.test(text)) return fileSource(text)
  return sourceFromText(text, cwd)
}

const fileSource = (url: string): Result<MarketplaceSource, string> =>
  isSafeAddress(url) ? ok({ kind: "file", url }) : failed(`${url} must be an https address`)

function gitSource(source: Omit<PluginSource & { kind: "git" }, "kind">): Result<PluginSource, string> {
  const { url, ref, commit, folder } = source
  if (!isGitUrl(url)) return failed(`${JSON.stringify(url)} is not the address of a repository`)
  if (ref !== undefined && !/^[\w][\w./+@-]*$/.test(ref)) return failed(`${JSON.stringify(ref)} is not a branch or tag`)
  if (commit !== undefined && !isCommit(commit)) return failed(`${JSON.stringify(commit)} is not a whole commit id`)
  const inside = folder === undefined || isHere(folder) ? undefined : plainPath(folder)
  if (folder !== undefined && !isHere(folder) && inside === undefined)
    return failed(`the folder ${JSON.stringify(folder)} leaves the repository`)
  return ok({ kind: "git", url, ...optional("ref", ref), ...optional("commit", commit), ...optional("folder", inside) })
}

function archiveSource(source: Omit<PluginSource & { kind: "archive" }, "kind">): Result<PluginSource, string> {
  const { url, sha256, folder } = source
  if (!isSafeAddress(url)) return failed(`${JSON.stringify(url)} must be an https address`)
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) return failed("its sha256 must be 64 hexadecimal digits")
  const inside = folder === undefined ? undefined : plainPath(folder)
  if (folder !== undefined && inside === undefined)
    return failed(`the folder ${JSON.stringify(folder)} leaves the archive`)
  return ok({
    kind: "archive",
    url,
    ...optional("sha256", sha256?.toLowerCase()),
    ...optional("folder", inside),
  })
}

function npmSource(source: Omit<PluginSource & { kind: "npm" }, "kind">): Result<PluginSource, string> {
  const [, name = "", typed] = /^(@?[^@]+)(?:@(.+))?$/.exec(source.package) ?? []
  const version = source.version ?? typed
  if (!/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name))
    return failed(`${JSON.stringify(source.package)} is not the name of a package`)
  if (version !== undefined && !/^[\w.^~<>=| *+-]{1,100}$/.test(version))
    return failed(`${JSON.stringify(version)} is not a version`)
  if (source.registry !== undefined && !isSafeAddress(source.registry))
    return failed("its registry must be an https address")
  return ok({
    kind: "npm",
    package: name,
    ...optional("version", version),
    ...optional("registry", source.registry),
  })
}

function relativeSource(written: string, pluginRoot: string): Result<EntrySource, string> {
  const isBare = !written.startsWith("./") && written !== "."
  const joined = isBare && pluginRoot !== "" ? `${pluginRoot}/${written}` : written
  if (isHere(joined)) return ok({ kind: "relative", folder: "" })
  const folder = plainPath(joined)
  return folder === undefined
    ? failed(`its source ${JSON.stringify(written)} leaves the marketplace`)
    : ok({ kind: "relative", folder })
}

/** The folder itself. */
export const isHere = (path: string): boolean =>
  !path.startsWith("/") && path.split("/").every((step) => step === "" || step === ".")

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** Some write `owner/repo` where an address is wanted. */
const addressOf = (url: string): string => (/^[\w-][\w.-]*\/[\w.-]+$/.test(url) ? githubUrl(url) : url)

const githubUrl = (repo: string): string => `https://github.com/${repo.replace(/\.git$/, "")}.git`

const folderOf = (text: string, cwd: string): string =>
  text === "~" || text.startsWith("~/")
    ? resolve(homedir(), text.slice(2))
    : isAbsolute(text)
      ? text
      : resolve(cwd, text)

const isCommit = (text: string): boolean => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)

/** No transport that starts a program, nothing unencrypted but to this machine, and nothing that looks like an option. */
const isGitUrl = (url: string): boolean =>
  /^(?:https|ssh):\/\/[^\s-][^\s]*$/.test(url) ||
  /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]\S*$/.test(url) ||
  /^file:\/\/\/\S+$/.test(url) ||
  /^[\w.]+@[\w.-]+:[^\s:-][^\s]*$/.test(url)

/** Loopback is this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url?.protocol === "https:") return true
  return url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)
}

/** One line for people. */
export function sourceWords(source: MarketplaceSource | EntrySource): string {
  switch (source.kind) {
    case "folder":
      return source.path
    case "relative":
      return `./${source.folder}`
    case "file":
      return source.url
    case "npm":
      return `npm:${source.package}${source.version === undefined ? "" : `@${source.version}`}`
    case "archive":
      return source.url
    case "git": {
      const at = source.commit?.slice(0, 12) ?? source.ref
      const where = source.folder === undefined ? "" : `:${source.folder}`
      return `${source.url}${at === undefined && where === "" ? "" : `#${at ?? ""}${where}`}`
    }
  }
}

/** The same source read back from our own record. */
export const isSource = (value: JsonValue | undefined): value is JsonObject & { readonly kind: string } =>
  isObject(value) && typeof value.kind === "string"
