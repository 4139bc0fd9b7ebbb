/** Reads resources, and skills among them; what belongs to a listed skill is used only if it is what the list says. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpConnection, McpFailure, McpSkill, McpSkillFile } from "./connection.ts"
import type { Freshness } from "./freshness.ts"
import { checkFile, isAddress, isFileOf, skillBody, skillIn } from "./skills.ts"

export interface Resources extends Pick<McpConnection, "readResource" | "loadSkill" | "getSkill" | "readFolder"> {
  /** The skills that the server offers from here on. */
  readonly listed: (skills: readonly McpSkill[]) => void
}

type ServerReply = Promise<Result<JsonObject, McpFailure>>

export interface ResourceRequests {
  readonly read: (uri: string, signal: AbortSignal) => ServerReply
  /** Undefined if the server has no skills. */
  readonly skill: (uri: string, signal: AbortSignal) => ServerReply | undefined
  /** A page of what is in a folder; undefined if the server does not tell. */
  readonly folder: (params: JsonObject, signal: AbortSignal) => ServerReply | undefined
}

export function openResources({ read, skill: ask, folder }: ResourceRequests, freshness: Freshness): Resources {
  let skills: readonly McpSkill[] = []
  /** Those that were asked for by their address. */
  const unlisted = new Map<string, McpSkill>()
  const known = (): readonly McpSkill[] => [
    ...skills,
    ...unlisted.values().filter(({ uri }) => !skills.some((one) => one.uri === uri)),
  ]

  /** Either the server changed a skill since, or something is wrong: only its next list can tell. */
  function differs(uri: string, why: string): Result<never, McpFailure> {
    freshness.dropResource(uri)
    freshness.outdated("skills")
    for (const { uri: at } of unlisted.values()) if (isFileOf(uri, at)) unlisted.delete(at)
    return failed({ kind: "other", message: `${why} The list is read again; try once more with the next message.` })
  }

  async function readResource(uri: string, signal: AbortSignal): ReturnType<McpConnection["readResource"]> {
    const kept = freshness.resource(uri)
    if (kept && checkFile(known(), uri, kept).ok) return ok(kept)
    const got = await read(uri, signal)
    if (!got.ok) return got
    const contents: readonly JsonValue[] = Array.isArray(got.value.contents) ? got.value.contents : []
    const checked = checkFile(known(), uri, contents)
    if (!checked.ok) return differs(uri, checked.failure)
    freshness.keepResource(uri, got.value, contents)
    return ok(contents)
  }

  return {
    listed(now) {
      skills = now
    },
    readResource,
    async getSkill(uri, signal) {
      const listed = skills.find((one) => one.uri === uri)
      if (listed) return ok(listed)
      const got = await (ask(uri, signal) ?? failed({ kind: "other", message: "The server has no skills." } as const))
      if (!got.ok) return got
      const skill = isObject(got.value.skill) ? skillIn(got.value.skill) : undefined
      if (skill?.uri !== uri) return failed({ kind: "other", message: `The server has no usable skill ${uri}.` })
      unlisted.set(uri, skill)
      return ok(skill)
    },
    async readFolder(written, signal) {
      const uri = written.replace(/\/+$/, "")
      // What the list says is all that there is of a skill, whatever the server has by now.
      const around = known().find((skill) => isFileOf(`${uri}/`, skill.uri))
      if (around && around.files !== "dynamic") return ok(childrenOf(uri, around.files))
      const children: string[] = []
      let params: JsonObject = { uri }
      for (let page = 0; page < mostPages; page++) {
        const got = await (folder(params, signal) ?? failed(noFolders))
        if (!got.ok) return got
        children.push(...listedIn(got.value))
        const { nextCursor } = got.value
        if (typeof nextCursor !== "string" || children.length >= mostChildren) break
        params = { uri, cursor: nextCursor }
      }
      return ok(children.slice(0, mostChildren))
    },
    async loadSkill(uri, signal) {
      const skill = known().find((one) => one.uri === uri)
      if (!skill) return failed({ kind: "other", message: `The server does not list the skill ${uri}.` })
      const contents = await readResource(uri, signal)
      if (!contents.ok) return contents
      const body = skillBody(skill, contents.value)
      return body.ok ? body : differs(uri, body.failure)
    },
  }
}

const mostPages = 64
const mostChildren = 1_000
const noFolders: McpFailure = {
  kind: "other",
  message: "The server does not tell what is in a folder. Read a file by its address.",
}

function listedIn({ resources }: JsonObject): readonly string[] {
  const all: readonly JsonValue[] = Array.isArray(resources) ? resources : []
  return all.flatMap((one) => {
    if (!isObject(one) || typeof one.uri !== "string" || !isAddress(one.uri)) return []
    return one.mimeType === "inode/directory" ? `${one.uri}/` : one.uri
  })
}

function childrenOf(uri: string, files: readonly McpSkillFile[]): readonly string[] {
  const below = files.flatMap((file) => (file.uri.startsWith(`${uri}/`) ? [file.uri.slice(uri.length + 1)] : []))
  return [...new Set(below.map((path) => `${uri}/${path.replace(/\/.*/, "/")}`))]
}
