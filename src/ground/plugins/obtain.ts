/** Brings the files of a source as a tree, with what pins them. Nothing that is fetched is run, and nothing of it is on the disk yet. */

import { rmSync } from "node:fs"
import type { Network } from "#lib/network.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { treeOfArchive, withoutTopFolder } from "./archive.ts"
import { isSafeAddress, type PluginSource } from "./source.ts"
import { mostBytes, type Tree, treeOfFolder } from "./tree.ts"

export interface ObtainPorts {
  readonly network: Pick<Network, "fetch" | "refusal">
  /** Undefined if git is not installed. */
  readonly git: string | undefined
  readonly run: RunProgram
  readonly env: Readonly<Record<string, string>>
  /** Makes a folder for a repository while it is fetched. */
  readonly scratch: () => Result<string, string>
  readonly signal: AbortSignal
}

export type RunProgram = (program: {
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}) => Promise<{ readonly exitCode: number | undefined; readonly stdout: Uint8Array; readonly stderr: string }>

/** What the same files can be recognized by. */
export interface Pin {
  readonly commit?: string
  /** Of an archive. */
  readonly sha256?: string
  /** Of a package. */
  readonly version?: string
}

export interface Obtained {
  readonly tree: Tree
  readonly pin: Pin
}

/** The failure is a sentence. */
export async function obtain(source: PluginSource, ports: ObtainPorts): Promise<Result<Obtained, string>> {
  switch (source.kind) {
    case "folder":
      return fromFolder(source.path)
    case "git":
      return fromGit(source, ports)
    case "archive":
      return fromArchive(source, ports)
    case "npm":
      return fromNpm(source, ports)
  }
}

function fromFolder(path: string): Result<Obtained, string> {
  if (!statsOf(path)?.isDirectory()) return failed(`${path} does not exist or is not a folder.`)
  const tree = treeOfFolder(path)
  return tree.ok ? ok({ tree: tree.value, pin: {} }) : failed(`${path} cannot be used: ${tree.failure}.`)
}

async function fromArchive(
  { url, sha256 }: PluginSource & { readonly kind: "archive" },
  ports: ObtainPorts,
): Promise<Result<Obtained, string>> {
  const archive = await download(url, ports)
  if (!archive.ok) return archive
  const digest = new Bun.CryptoHasher("sha256").update(archive.value).digest("hex")
  if (sha256 !== undefined && sha256 !== digest)
    return failed(`${url} has the SHA-256 ${digest}, not ${sha256} as it should. Nothing was installed.`)
  const tree = treeOfArchive(archive.value)
  if (!tree.ok) return failed(`${url} cannot be used: ${tree.failure}.`)
  return ok({ tree: withoutTopFolder(tree.value), pin: { sha256: digest } })
}

/** The package as the registry has it. Its scripts are files like any other. */
async function fromNpm(
  source: PluginSource & { readonly kind: "npm" },
  ports: ObtainPorts,
): Promise<Result<Obtained, string>> {
  const registry = (source.registry ?? "https://registry.npmjs.org").replace(/\/+$/, "")
  const about = await downloadJson(`${registry}/${source.package.replace("/", "%2F")}`, ports)
  if (!about.ok) return about
  const versions = isObject(about.value.versions) ? about.value.versions : {}
  const version = chosenVersion(Object.keys(versions), about.value["dist-tags"], source.version)
  const found = version === undefined ? undefined : versions[version]
  const dist = isObject(found) && isObject(found.dist) ? found.dist : {}
  if (version === undefined || typeof dist.tarball !== "string")
    return failed(`The package ${source.package} has no version ${source.version ?? "latest"}.`)
  const archive = await download(dist.tarball, ports)
  if (!archive.ok) return archive
  const wrong = integrityProblem(archive.value, dist)
  if (wrong !== undefined) return failed(`The package ${source.package}@${version} cannot be used: ${wrong}.`)
  const tree = treeOfArchive(archive.value)
  if (!tree.ok) return failed(`The package ${source.package}@${version} cannot be used: ${tree.failure}.`)
  const sha256 = new Bun.CryptoHasher("sha256").update(archive.value).digest("hex")
  return ok({ tree: withoutTopFolder(tree.value), pin: { version, sha256 } })
}

function chosenVersion(versions: readonly string[], tags: unknown, wanted = "latest"): string | undefined {
  const tagged = isObject(tags) && Object.hasOwn(tags, wanted) ? tags[wanted] : undefined
  if (typeof tagged === "string") return tagged
  if (versions.includes(wanted)) return wanted
  return versions
    .filter((version) => Bun.semver.satisfies(version, wanted))
    .toSorted((a, b) => Bun.semver.order(b, a))
    .at(0)
}

function integrityProblem(archive: Uint8Array, { integrity, shasum }: JsonObject): string | undefined {
  const [, kind, digest] = /^(sha512|sha384|sha256)-([A-Za-z0-9+/=]+)/.exec(String(integrity ?? "")) ?? []
  if (kind === "sha512" || kind === "sha384" || kind === "sha256")
    return new Bun.CryptoHasher(kind).update(archive).digest("base64") === digest ? undefined : mismatch
  if (typeof shasum !== "string") return "the registry gives no digest for it"
  return new Bun.CryptoHasher("sha1").update(archive).digest("hex") === shasum ? undefined : mismatch
}

const mismatch = "it is not what the registry says it is"

/** JSON of a bounded size. The failure is a sentence. */
export async function downloadJson(url: string, ports: ObtainPorts): Promise<Result<JsonObject, string>> {
  const bytes = await download(url, ports, mostJson)
  if (!bytes.ok) return bytes
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes.value))
    return isObject(value) ? ok(value) : failed(`${url} must hold an object.`)
  } catch {
    return failed(`${url} is not JSON.`)
  }
}

const mostJson = 50_000_000

async function download(
  url: string,
  { network, signal }: Pick<ObtainPorts, "network" | "signal">,
  most: number = mostBytes,
): Promise<Result<Uint8Array, string>> {
  if (!isSafeAddress(url)) return failed(`Plugins come from https addresses, not from ${url}.`)
  try {
    const response = await network.fetch({ why: "plugin", chosenBy: "others" }, url, { signal })
    if (!response.ok) return failed(`${url} answered with status ${response.status}.`)
    if (response.url !== "" && !isSafeAddress(response.url))
      return failed(`${url} leads to ${response.url}, which is not https.`)
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > most) return failed(`${url} is larger than ${most / 1e6} MB.`)
      parts.push(part)
    }
    return ok(Buffer.concat(parts))
  } catch (error) {
    return failed(`${url} could not be read. ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Into a bare repository of our own, then out of it as an archive: nothing is checked out, so there is nothing that a
 * hook, a filter, a submodule or a template could be started for.
 */
async function fromGit(
  { url, ref, commit }: PluginSource & { readonly kind: "git" },
  { git: file, run, env, scratch, signal, network: reach }: ObtainPorts,
): Promise<Result<Obtained, string>> {
  const refusal = url.startsWith("file:") ? undefined : reach.refusal({ why: "plugin", chosenBy: "others" }, url)
  if (refusal !== undefined) return failed(`${url} is not contacted. ${refusal}`)
  if (file === undefined) return failed("git is not installed. Install git to use plugins from repositories.")
  const folder = scratch()
  if (!folder.ok) return folder
  const cwd = folder.value
  const git = async (
    argv: readonly string[],
    more: Readonly<Record<string, string>>,
  ): Promise<Result<Uint8Array, string>> => {
    const environment = { ...withoutGit(env), ...always, ...more }
    const ended = await run({ file, argv: [...switchedOff, ...argv], cwd, env: environment, signal })
    if (ended.exitCode === 0) return ok(ended.stdout)
    return failed(`${url} cannot be fetched: ${ended.stderr.trim().slice(-600) || `git ended with ${ended.exitCode}`}`)
  }
  const local = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_ALLOW_PROTOCOL: "" }
  const network = { GIT_ALLOW_PROTOCOL: url.startsWith("http://") ? "http" : "https:ssh:file" }
  const bring = (...what: readonly string[]): Promise<Result<Uint8Array, string>> =>
    git(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph", ...what], network)
  try {
    const made = await git(["init", "--quiet", "--bare", "--template=", "."], local)
    if (!made.ok) return made
    let fetched = await bring("--depth=1", "--", url, commit ?? ref ?? "HEAD")
    // A server may give single commits to nobody.
    if (!fetched.ok && commit !== undefined)
      fetched = await bring("--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    if (!fetched.ok) return fetched
    const named = await git(["rev-parse", "--verify", `${commit ?? "FETCH_HEAD"}^{commit}`], local)
    if (!named.ok) return failed(`${url} has no commit ${commit ?? ref ?? "HEAD"}.`)
    const id = new TextDecoder().decode(named.value).trim()
    const archive = await git(["archive", "--format=tar", id], local)
    if (!archive.ok) return archive
    const tree = treeOfArchive(archive.value)
    return tree.ok ? ok({ tree: tree.value, pin: { commit: id } }) : failed(`${url} cannot be used: ${tree.failure}.`)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

const switchedOff: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.fsckObjects=true",
  "gc.auto=0",
  "maintenance.auto=false",
  "safe.bareRepository=all",
].flatMap((setting) => ["-c", setting])

const always: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_TEMPLATE_DIR: "",
  GIT_ATTR_NOSYSTEM: "1",
}

/** Variables about the repository of the folder that the user is in would lead git there. */
const withoutGit = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_(?!SSH|ASKPASS)/.test(name)))
