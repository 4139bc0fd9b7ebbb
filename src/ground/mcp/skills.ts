/**
 * Skills that a server offers (SEP-2640): what its list says of each, and the check of every file of theirs against it.
 * A file is read only when it is asked for.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpSkill, McpSkillFile } from "./connection.ts"

export const skillsExtension = "io.modelcontextprotocol/skills"

/** What every host must accept, and we accept no more. */
const mostFiles = 512
const mostBytes = 16 * 1024 * 1024
const manifest = "/SKILL.md"

/** URIs are shown among our own words, so they must be one line without anything hidden. */
export const isAddress = (uri: string): boolean => uri !== "" && !uri.includes("\n") && plainText(uri) === uri

/** Undefined for an entry that breaks a rule of the specification: such a skill must not be loaded. */
export function skillIn({ uri, frontmatter, resources }: JsonObject): McpSkill | undefined {
  if (typeof uri !== "string" || !isAddress(uri) || !isObject(frontmatter)) return undefined
  const { name, description } = frontmatter
  if (typeof name !== "string" || !/^[a-z0-9-]{1,64}$/.test(name) || typeof description !== "string") return undefined
  if (!uri.endsWith(`/${name}${manifest}`)) return undefined
  const files = resources === "dynamic" ? resources : filesIn(resources, uri)
  return files && { uri, name, description: plainText(description), frontmatter, files }
}

function filesIn(resources: JsonValue | undefined, uri: string): readonly McpSkillFile[] | undefined {
  if (!Array.isArray(resources) || resources.length > mostFiles) return undefined
  const files = new Map<string, McpSkillFile>()
  let bytes = 0
  for (const one of resources) {
    const file = isObject(one) ? fileIn(one) : undefined
    if (!file || files.has(file.uri) || !isFileOf(file.uri, uri)) return undefined
    files.set(file.uri, file)
    bytes += file.size
  }
  return files.has(uri) && bytes <= mostBytes ? [...files.values()] : undefined
}

function fileIn({ uri, digest, size }: JsonObject): McpSkillFile | undefined {
  if (typeof uri !== "string" || !isAddress(uri) || typeof digest !== "string" || typeof size !== "number")
    return undefined
  return /^sha256:[0-9a-f]{64}$/.test(digest) && Number.isSafeInteger(size) && size >= 0
    ? { uri, digest, size }
    : undefined
}

/** Whether an address is below the folder of a `SKILL.md`. */
export const isFileOf = (uri: string, skill: string): boolean => uri.startsWith(skill.slice(0, -manifest.length + 1))

/** Whether what was read under this address is what the list says of it; the failure says what is wrong. */
export function checkFile(
  skills: readonly McpSkill[],
  uri: string,
  contents: readonly JsonValue[],
): Result<void, string> {
  const around = skills.filter((skill) => isFileOf(uri, skill.uri))
  for (const { name, files } of around) {
    if (files === "dynamic") continue
    const listed = files.find((file) => file.uri === uri)
    if (!listed) return failed(`${uri} is not among the files of the skill ${name}.`)
    const bytes = bytesOf(contents, uri)
    if (!bytes) return failed(`The server gave no content for ${uri}.`)
    if (bytes.byteLength !== listed.size)
      return failed(`${uri} has ${bytes.byteLength} bytes, and the server's list says ${listed.size}.`)
    if (`sha256:${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}` !== listed.digest)
      return failed(`${uri} is not the file that the server's list describes: its digest differs.`)
  }
  return ok(undefined)
}

/** The instructions of a skill without its head, which must say the same as the list. */
export function skillBody(skill: McpSkill, contents: readonly JsonValue[]): Result<string, string> {
  const bytes = bytesOf(contents, skill.uri)
  if (!bytes) return failed(`The server gave no content for ${skill.uri}.`)
  if (bytes.byteLength > mostBytes) return failed(`${skill.uri} is larger than 16 MiB.`)
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n")
  const [all, head = ""] = /^---\n([^]*?)^---[\t ]*(?:\n|$)/m.exec(text) ?? []
  if (all === undefined || !text.startsWith(all)) return failed(`${skill.uri} has no front matter.`)
  if (!isSame(skill.frontmatter, headIn(head)))
    return failed(`The front matter of ${skill.uri} is not what the server's list says.`)
  return ok(text.slice(all.length))
}

function bytesOf(contents: readonly JsonValue[], uri: string): Uint8Array | undefined {
  const found = contents.find((one) => isObject(one) && one.uri === uri)
  if (!isObject(found)) return undefined
  if (typeof found.text === "string") return new TextEncoder().encode(found.text)
  return typeof found.blob === "string" ? Buffer.from(found.blob, "base64") : undefined
}

const longestHead = 64 * 1024
const mostAnchors = 16

function headIn(head: string): unknown {
  // A few bytes of anchors can expand to an endless structure.
  const anchors = head.match(/(?:^|[\s[{,:-])&\S/g)?.length ?? 0
  if (head.length > longestHead || anchors > mostAnchors) return undefined
  try {
    return Bun.YAML.parse(head)
  } catch {
    return undefined
  }
}

/** Follows the list, which is finite, so that what the file expands to is read no further than that. */
function isSame(listed: JsonValue | undefined, written: unknown): boolean {
  if (Array.isArray(listed))
    return (
      Array.isArray(written) &&
      written.length === listed.length &&
      listed.every((one: JsonValue, i) => isSame(one, written[i]))
    )
  if (!isObject(listed)) return listed === written
  if (typeof written !== "object" || written === null || Array.isArray(written)) return false
  const fields = new Map<string, unknown>(Object.entries(written))
  const keys = Object.keys(listed)
  return keys.length === fields.size && keys.every((key) => fields.has(key) && isSame(listed[key], fields.get(key)))
}
