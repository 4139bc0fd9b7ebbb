/** Loads a skill: its text becomes the answer, and what it allows applies until the turn ends. */

import type { CommandDefinition, CommandUse } from "#agent/words/command.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { forConsent } from "#lib/printable.ts"
import type { Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { ServerSkill, ServerSkills } from "./server-skills.ts"
import { skillWords } from "./words.ts"

export interface SkillToolPorts {
  readonly find: (name: string) => CommandDefinition | undefined
  readonly names: () => readonly string[]
  /** Its text; commands run for it belong to the call `within`. */
  readonly load: (
    ask: { readonly definition: CommandDefinition; readonly args: string; readonly within: string },
    signal: AbortSignal,
  ) => Promise<string>
  /** Whether it would allow something now. */
  readonly allows: (definition: CommandDefinition) => boolean
  /** What it allows applies to the turn, its files may be read, and its hooks run. Returns what an agent of its own may use. */
  readonly use: (definition: CommandDefinition) => LentUse
  /** It is an agent's now: in the turn only its denials still apply. */
  readonly release: () => void
  /** Why its hooks cannot be followed, if so: then it is not loaded. */
  readonly wrongHooks?: (definition: CommandDefinition) => Promise<string | undefined>
  readonly window: () => number
  /** Those of MCP servers; a file's skill of the same name comes first. */
  readonly servers?: ServerSkills
  readonly fork?: (
    ask: {
      readonly name: string
      readonly prompt: string
      readonly agent: string | undefined
      readonly within: string
      readonly lends: LentUse
    },
    signal: AbortSignal,
  ) => Promise<Result<string, string>>
}

type LentUse = Pick<CommandUse, "allowedTools" | "hooks">

export const skillToolName = "Skill"
export const olderName = "SlashCommand"

const description = `Loads a skill: instructions for a particular kind of work, some with files of their own. The skills there are stand in the first message of the conversation.
Load one when its description fits the task, before you begin with it; also when the user names it, as in /name. Then follow what it says. Do not load a skill twice, and do not guess names.`

const input = shape.object({
  skill: shape.string().min(1, "must be the name of a skill").describe("The name, as it is listed"),
  args: shape.string().optional().describe("What the skill is to be about, where it takes something"),
})

export function skillTool(ports: SkillToolPorts): AnyTool {
  // By the exact name that rules match, or a leading slash would bypass them.
  const known = (name: string): CommandDefinition | undefined => {
    const found = ports.find(name) ?? ports.servers?.find(name)
    return found?.isForModel ? found : undefined
  }
  const ofServer = (name: string): ServerSkill | undefined => (ports.find(name) ? undefined : ports.servers?.find(name))
  return defineTool({
    name: skillToolName,
    aliases: [olderName],
    modernize: fromSlash,
    description,
    // A skill is limited only by the window.
    maxResultChars: Number.MAX_SAFE_INTEGER,
    input,
    title: ({ skill }) => `skill ${skill}`,
    // Commands in its text are decided one by one; other calls must not run in parallel.
    footprint({ skill }) {
      const definition = known(skill)
      // What a server wants the model to do is not known to be harmless.
      const acts = definition !== undefined && (ofServer(skill) !== undefined || ports.allows(definition))
      return { ...touchesNothing(), alone: true, ...(acts && { effect: "unknown" }) }
    },
    risks({ skill }) {
      const server = ofServer(skill)?.server
      if (server !== undefined) return [`Its instructions come from the MCP server ${forConsent(server)}.`]
      const definition = known(skill)
      if (!definition || !ports.allows(definition)) return []
      return [`Until the turn ends it allows: ${definition.allowedTools.join(", ")}.`]
    },
    changed({ skill }) {
      const served = ofServer(skill)
      return served && ports.servers?.changed(served)
    },
    allowed(reason, { skill }) {
      const served = ofServer(skill)
      if (served) ports.servers?.allowed(served, reason)
    },
    async validate({ skill }, signal) {
      if (!known(skill)) await ports.servers?.arrive(skill, signal)
      return known(skill) ? undefined : unknownWords(skill, ports)
    },
    async run({ skill, args = "" }, { signal, callId }) {
      const definition = known(skill)
      if (!definition) return refused(unknownWords(skill, ports))
      const served = ofServer(skill)
      if (served) return loaded(served, await ports.servers?.load(served, args, signal))
      const wrong = await ports.wrongHooks?.(definition)
      if (wrong !== undefined)
        return refused(`The skill ${skill} was not loaded: its hooks cannot be followed. ${wrong} Tell the user.`)
      const lends = ports.use(definition)
      const { hooks = [] } = lends
      const text = await ports.load({ definition, args, within: callId }, signal)
      if (signal.aborted) return refused("Interrupted before it was loaded.")
      const { disallowedTools } = definition
      const data: JsonObject = {
        skill: definition.name,
        ...(disallowedTools.length > 0 && { disallowedTools }),
        ...(hooks.length > 0 && { hooks: hooks.map((one) => ({ ...one })) }),
      }
      if (!definition.fork || !ports.fork) return answered(skillWords(definition, text, ports.window()), { data })
      const { name, fork } = definition
      ports.release()
      const done = await ports.fork({ name, prompt: text, agent: fork.agent, within: callId, lends }, signal)
      return done.ok ? answered(done.value, { data: { ...data, forked: true } }) : refused(done.failure)
    },
  })
}

const loaded = ({ name: skill, server }: ServerSkill, got: Result<string, string> | undefined): Outcome =>
  got?.ok ? answered(got.value, { data: { skill, server } }) : refused(got?.failure ?? `There is no skill ${skill}.`)

/** Older prompts and transcripts call it with one line, as it was typed: `/name words`. */
function fromSlash(written: JsonObject): JsonObject {
  const { command, ...rest } = written
  if (typeof command !== "string" || written.skill !== undefined) return written
  const [, skill = "", args = ""] = /^\s*\/?(\S*)\s*([\s\S]*)$/.exec(command) ?? []
  return { ...rest, skill, ...(args.trim() !== "" && { args: args.trim() }) }
}

function unknownWords(name: string, { find, names, servers }: SkillToolPorts): string {
  if (find(name) ?? servers?.find(name))
    return `Only the user can start ${name}, by typing /${name}. Tell them so if it would help.`
  if (/^(?!mcp__)[a-z][\w+.-]*:\/\/./.test(name))
    return `The skill ${name} needs the name of its MCP server before the address: mcp__<server>__${name}`
  const plain = name.trim().replace(/^\//, "")
  if (plain !== name && find(plain)?.isForModel) return `Give the bare name: ${plain}.`
  const near = nearNames(plain, names(), 3)
  const advice =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : "Use a name from the list of skills, or continue without one."
  return `There is no skill ${name}. ${advice}`
}
