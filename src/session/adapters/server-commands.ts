/** What servers offer to be typed or loaded by name: their prompts and their skills. */

import type { ServerPromptPorts, ServerPrompts } from "#kits/commands/server-prompts.ts"
import type { McpRoom } from "#kits/mcp/ports.ts"
import type { McpSkill } from "#ground/mcp/connection.ts"
import type { OfferedSkill, ServerSkillPorts, ServerSkills } from "#kits/skills/server-skills.ts"
import { digestOf } from "#lib/digest.ts"
import { forConsent } from "#lib/printable.ts"
import { failed } from "#lib/result.ts"

/** The user asked for the server by name, so it is worth waiting for. */
const serverPatienceMs = 30_000

/** A server's skill can be typed like its prompts; a prompt of the same name comes first. */
export const withSkills = (prompts: ServerPrompts, skills: ServerSkills): ServerPrompts => ({
  ...prompts,
  list: () => [
    ...skills
      .list()
      .map(({ name, description, takes }) => ({ name, about: forConsent(description.slice(0, 200)), takes })),
    ...prompts.list(),
  ],
  has: (name) => prompts.has(name) || skills.find(name) !== undefined,
  async get(name, args, signal) {
    await skills.arrive(name, signal)
    const skill = prompts.list().some((row) => row.name === name) ? undefined : skills.find(name)
    return skill ? skills.load(skill, args, signal) : prompts.get(name, args, signal)
  },
})

export const skillPorts = (room: McpRoom | undefined): Omit<ServerSkillPorts, "window" | "isChosen"> => ({
  skills: () => (room?.active() ?? []).flatMap(({ name: server, skills }) => skills.map(offered(server))),
  servers: () => (room?.active() ?? []).map(({ name }) => name),
  async get(server, uri, signal) {
    const got = await room?.getSkill(server, uri, signal)
    return got?.ok ? offered(server)(got.value) : undefined
  },
  known: room?.skillDigests,
  expected: connectingIn(room),
  settle: settleIn(room),
  load: async (server, uri, signal) =>
    (await room?.loadSkill(server, uri, signal)) ?? failed("There are no servers here."),
})

const offered =
  (server: string) =>
  ({ uri, name, description, frontmatter, files }: McpSkill): OfferedSkill => ({
    server,
    uri,
    name,
    description,
    files: files === "dynamic" ? [] : files.map((file) => file.uri),
    digest: files === "dynamic" ? undefined : digestOf(files.map((file) => [file.uri, file.digest])),
    isForModel: frontmatter["disable-model-invocation"] !== true,
  })

const connectingIn = (room: McpRoom | undefined) => (): readonly string[] =>
  (room?.active() ?? []).flatMap(({ name, status }) => (status === "connecting" ? [name] : []))

const settleIn =
  (room: McpRoom | undefined) =>
  (signal: AbortSignal): Promise<void> =>
    room?.settle(serverPatienceMs, signal) ?? Promise.resolve()

export const promptPorts = (room: McpRoom | undefined): ServerPromptPorts => ({
  prompts: () =>
    (room?.active() ?? []).flatMap(({ name: server, prompts }) =>
      prompts.map(({ name, description = "", arguments: inputs }) => ({ server, name, description, inputs })),
    ),
  expected: connectingIn(room),
  settle: settleIn(room),
  get: (server, request, signal) =>
    room?.getPrompt(server, request, signal) ?? Promise.resolve(failed("There are no servers here.")),
  complete: async (server, { prompt, ...request }, signal) =>
    (await room?.complete(server, { of: { prompt }, ...request }, signal)) ?? [],
})
