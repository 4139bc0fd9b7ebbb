/** Releases as they are published: a folder for each version, and signed checksums that say what belongs to it. */

import { isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Network } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { checkSignature } from "./signature.ts"

export interface ReleaseSource {
  /** An https address, or a folder. */
  readonly source: string
  /** A line as in an OpenSSH .pub file. */
  readonly key: string
  readonly target: string
  readonly network: Network
  readonly signal: AbortSignal
}

/** What the signature covers. */
export interface Release {
  readonly version: string
  readonly file: string
  /** SHA-256, as hex. */
  readonly digest: string
}

const sumsFile = "SHA256SUMS"
const mostBytes = { sums: 1_000_000, archive: 300_000_000 }

export const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(text)

/** The latest release for this platform, or the one with this version. Failures are sentences. */
export async function findRelease(from: ReleaseSource, wanted?: string): Promise<Result<Release, string>> {
  const folder = wanted ?? "latest"
  const sums = await get(from, folder, sumsFile, mostBytes.sums)
  if (!sums.ok) return sums
  const signature = await get(from, folder, `${sumsFile}.sig`, mostBytes.sums)
  if (!signature.ok) return signature
  const genuine = checkSignature(sums.value, Buffer.from(signature.value).toString(), from.key)
  if (!genuine.ok) return failed(`The release in ${place(from.source, folder)} is not trusted. ${genuine.failure}`)
  const release = releaseIn(Buffer.from(sums.value).toString(), from.target)
  if (!release) return failed(`The release in ${place(from.source, folder)} has nothing for ${from.target}.`)
  if (wanted !== undefined && release.version !== wanted)
    return failed(`${place(from.source, folder)} holds version ${release.version}, not ${wanted}.`)
  return ok(release)
}

/** The archive, proved by its checksum. */
export async function download(from: ReleaseSource, release: Release): Promise<Result<Uint8Array, string>> {
  const archive = await get(from, release.version, release.file, mostBytes.archive)
  if (!archive.ok) return archive
  const digest = new Bun.CryptoHasher("sha256").update(archive.value).digest("hex")
  if (digest === release.digest) return archive
  return failed(`${release.file} is damaged: its checksum is not the signed one. Nothing was changed. Try again later.`)
}

function releaseIn(sums: string, target: string): Release | undefined {
  for (const line of sums.split("\n")) {
    const [, digest = "", file = ""] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? []
    const version =
      file.startsWith("codewright-") && file.endsWith(`-${target}.tar.zst`)
        ? file.slice("codewright-".length, -`-${target}.tar.zst`.length)
        : ""
    if (isVersion(version)) return { version, file, digest }
  }
  return undefined
}

async function get(
  { source, network, signal }: ReleaseSource,
  folder: string,
  file: string,
  most: number,
): Promise<Result<Uint8Array, string>> {
  const local = folderIn(source)
  if (local !== undefined) return readFrom(join(local, folder, file), most)
  const url = place(source, `${folder}/${file}`)
  if (!isSafeAddress(url)) return failed(`Releases come from https addresses or folders, not from ${source}.`)
  try {
    const response = await network.fetch({ why: "update", chosenBy: "user" }, url, { signal })
    if (!response.ok) return failed(`${url} answered with status ${response.status}.`)
    if (response.url !== "" && !isSafeAddress(response.url))
      return failed(`${url} leads to ${response.url}, which is not https.`)
    return await bounded(response, most, url)
  } catch (error) {
    return failed(`${url} could not be read. ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function bounded(response: Response, most: number, url: string): Promise<Result<Uint8Array, string>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > most) return failed(`${url} is larger than any release.`)
    parts.push(part)
  }
  return ok(Buffer.concat(parts))
}

async function readFrom(path: string, most: number): Promise<Result<Uint8Array, string>> {
  const file = Bun.file(path)
  if (!(await file.exists())) return failed(`${path} does not exist.`)
  return file.size > most ? failed(`${path} is larger than any release.`) : ok(await file.bytes())
}

function folderIn(source: string): string | undefined {
  if (isAbsolute(source)) return source
  return source.startsWith("file:///") ? fileURLToPath(source) : undefined
}

const place = (source: string, path: string): string => `${source.replace(/\/+$/, "")}/${path}`

/** Loopback is this machine. */
function isSafeAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url?.protocol === "https:") return true
  return url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)
}
