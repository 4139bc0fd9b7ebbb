/** Commands, skills and output styles of a session, and what they need from it. */

import { type CommandDefinition, type CommandRow, readTurnHooks } from "#agent/words/command.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import { textOf } from "#agent/words/message.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Next } from "#agent/words/middleware.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { markdownAt, markdownBelow, realOf } from "#ground/extensions/find.ts"
import { openHeadIndex } from "#ground/extensions/head-index.ts"
import { type ExtensionPlace, extensionFolders } from "#ground/extensions/places.ts"
import { rulePlace } from "#ground/settings/save.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import { bundledCommands } from "#kits/commands/builtin/all.ts"
import { trailerWords } from "#kits/commands/builtin/commit.ts"
import type { CommandFile } from "#kits/commands/decode.ts"
import { isBelieved, type CommandOutput } from "#kits/commands/expand.ts"
import { type Commands, commandsKit } from "#kits/commands/kit.ts"
import { commandLine } from "#kits/commands/line.ts"
import type { Fork } from "#kits/commands/ports.ts"
import { openServerPrompts, type ServerPrompts } from "#kits/commands/server-prompts.ts"
import { broughtBy, type TurnScope } from "#kits/commands/turn.ts"
import type { McpRoom } from "#kits/mcp/ports.ts"
import { isGuarded } from "#kits/permissions/hidden-tools.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import { type SkillPorts, type Skills, skillsKit } from "#kits/skills/kit.ts"
import { openServerSkills } from "#kits/skills/server-skills.ts"
import { skillToolName } from "#kits/skills/tool.ts"
import type { Style } from "#kits/styles/style.ts"
import { openStyles, type Styles } from "#kits/styles/styles.ts"
import { optional } from "#lib/optional.ts"
import { onceFor } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { commandFiles, wrongWith } from "./command-files.ts"
import { openKeptHeads } from "./kept-heads.ts"
import type { Ground } from "./ground.ts"
import { promptPorts, skillPorts, withSkills } from "./server-commands.ts"
import { toolRunner } from "./tool-runner.ts"
import { modelNamed } from "#session/opening/hand-down.ts"
import type { ExtensionChoice, SessionOptions } from "#session/opening/options.ts"
import { slashTable } from "#session/slash/table.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface ExtensionParts extends Pick<SessionOptions, "id" | "place" | "model" | "manner" | "ids" | "clock"> {
  readonly choice: ExtensionChoice
  readonly ground: Ground
  readonly record: (body: EntryBody) => void
  readonly state: () => SessionState
  readonly mode: () => PermissionMode
  /** An agent has skills, but its prompts are never commands. */
  readonly prompts: "person" | "agent"
  /** What the session has found of them already, for an agent in the same folder. */
  readonly found: (() => readonly CommandFile[]) | undefined
  /** The skills that the first message contains. */
  readonly preload: readonly string[] | undefined
  readonly rules: () => readonly PermissionRule[]
  readonly window: () => number
  readonly turn: TurnScope
  readonly tools: () => readonly AnyTool[]
  readonly call: Next
  readonly servers: McpRoom | undefined
  /** How much of what would be committed now the session wrote, from 0 to 1. */
  readonly share: (signal: AbortSignal) => Promise<number>
}

export interface Extensions {
  readonly commands: Commands
  readonly promptCommands: Commands | undefined
  readonly skills: Skills
  readonly styles: Styles
  /** Absent where commands and skills are turned off. */
  readonly kits: { readonly commands: Kit; readonly skills: Kit } | undefined
  readonly setStyle: (name: string) => Promise<Result<void, string>>
  readonly style: () => Style | undefined
  /** Rules of the turn's command, and read rules for the files of skills in use. */
  readonly allowed: () => readonly string[]
  readonly rows: () => readonly CommandRow[]
  readonly definitions: () => readonly CommandDefinition[]
  readonly skillNames: () => readonly string[]
  /** The servers whose skills the model was given. */
  readonly skillServers: () => readonly string[]
  /** What the last word behind a command could become, where a server says so. */
  readonly complete: ServerPrompts["complete"]
}

/** How long the list of skills may be. */
const listingOf = ({ listingShare, listingCharacters }: ExtensionChoice): Pick<SkillPorts, "share" | "characters"> => ({
  ...optional("share", listingShare),
  ...optional("characters", listingCharacters),
})

export function openExtensions(parts: ExtensionParts): Extensions {
  const { place, choice, ground, record } = parts
  const trusted = place.trusted === true
  const where: ExtensionPlace = {
    cwd: place.cwd,
    root: ground.repository?.root ?? place.cwd,
    home: place.home,
    stateFolder: place.stateFolder,
    claudeFolder: choice.claudeFolder,
    inner: ground.folders.inner,
    ...optional("sources", choice.sources),
    ...optional("plugins", choice.plugins),
  }
  const warn = (text: string): void => record({ kind: "notice", level: "warning", text })
  const isOff = choice.commands === "off"
  /** Folders of the user's own skills in use; their files may be read. */
  const readable = new Set<string>()

  const serverPrompts = openServerPrompts(promptPorts(parts.servers))
  const isChosen = (name: string): boolean =>
    choice.skills?.some((chosen) => name === chosen || name.endsWith(`:${chosen}`)) ?? true
  const serverSkills = openServerSkills({ ...skillPorts(parts.servers), window: parts.window, isChosen })
  const styles = openStyles({
    name: choice.outputStyle,
    files: () => filesIn(where, "output-styles", trusted ? "all" : "user"),
    warn,
  })
  const believes = (definition: CommandDefinition): boolean => {
    const line = commandLine(definition, place.cwd)
    return line === undefined || (place.trusts?.(line) ?? true)
  }
  const run = toolRunner(parts)
  const fork: Fork = async ({ name, prompt, agent = "general-purpose", within, lends }, signal) => {
    const { allowedTools, hooks } = lends
    const lent = { ...optional("allowedTools", allowedTools), ...optional("hooks", hooks) }
    const input = { description: name, prompt, subagent_type: agent }
    const outcome = await run("Task", input, within, signal, (callId) => parts.turn.lend(callId, lent))
    if (outcome === undefined) return failed(`/${name} wants an agent of its own, and no agents can be started here.`)
    return outcome.isError ? failed(textOf(outcome.content)) : ok(textOf(outcome.content))
  }
  const kept = openKeptHeads({
    where,
    trusted,
    find: (onLook) => [...commandFiles(where, trusted, onLook), ...bundledFiles(choice)],
    builtIn: () => bundledFiles(choice).flatMap(({ definition }) => definition ?? []),
    clock: parts.clock,
  })
  const commands = commandsKit({
    files: onceFrom(parts.found, kept.files),
    kept,
    trusted,
    believes,
    wrongWith,
    heads: openHeadIndex(place.stateFolder),
    project: where.root,
    session: parts.id,
    turn: parts.turn,
    trailer: async (signal) => trailerWords(choice.trailer, await parts.share(signal)),
    async run(command, within, signal): Promise<CommandOutput> {
      const outcome = await run("Bash", { command }, within, signal)
      if (outcome === undefined) return { kind: "refused", text: "There is no shell here." }
      return { kind: outcome.denied ? "refused" : "output", text: textOf(outcome.content) }
    },
    own: slashTable,
    first: parts.manner.asks === "person" ? "own" : "files",
    servers: withSkills(serverPrompts, serverSkills),
    fork,
    wrongHooks,
    modelOf: (name) => modelNamed(name, parts.state().model, parts.model),
    exists: (path) => realOf(path) !== undefined,
    warn,
  })

  const allows = (definition: CommandDefinition): boolean =>
    // Plan mode opens nothing, even if the plan is approved in the same turn.
    parts.mode() !== "plan" &&
    broughtBy(definition, isBelieved(definition, { trusted, believes }), true).allowedTools !== undefined &&
    commands.catalog.isSettled(definition)

  /** Of the turn, before the last skill was used. */
  let unused = parts.turn.now()
  const skills = skillsKit({
    ...optional("preload", isOff ? undefined : parts.preload),
    ...listingOf(choice),
    isGuarded: (name) => isGuarded(parts.rules(), { name: skillToolName }, name),
    usePreloaded(definition) {
      commands.turn.tighten(definition.disallowedTools)
      openFolder(definition, readable)
    },
    servers: serverSkills,
    find: (name) => (isChosen(name) ? commands.catalog.find(name) : undefined),
    isOffered: () => parts.tools().some(({ name }) => name === skillToolName),
    list: () =>
      choice.skills ? commands.catalog.list().filter(({ name }) => isChosen(name)) : commands.catalog.list(),
    complain: commands.complain,
    load: commands.load,
    allows,
    use(definition) {
      unused = commands.turn.now()
      const { allowedTools, disallowedTools, effort, hooks } = broughtBy(
        definition,
        isBelieved(definition, { trusted, believes }),
        commands.catalog.isSettled(definition),
      )
      commands.turn.add({
        ...optional("hooks", hooks),
        ...optional("allowedTools", allows(definition) ? allowedTools : undefined),
        ...optional("disallowedTools", disallowedTools),
        ...optional("effort", effort),
      })
      openFolder(definition, readable)
      return { ...optional("allowedTools", allows(definition) ? allowedTools : undefined), ...optional("hooks", hooks) }
    },
    release() {
      const denied = commands.turn.denied()
      commands.turn.begin(unused)
      commands.turn.tighten(denied)
    },
    fork,
    wrongHooks,
    tighten: commands.turn.tighten,
    guard: (hooks) => commands.turn.guard(readTurnHooks(hooks)),
    window: parts.window,
    touched: ground.workspace.stamps.paths,
    root: where.root,
  })

  return {
    commands,
    skills,
    styles,
    promptCommands: isOff || parts.prompts === "agent" ? undefined : commands,
    kits: isOff ? undefined : { commands, skills },
    async setStyle(name) {
      const chosen = styles.choose(name)
      return chosen.ok ? await keepStyle(chosen.value.name, place) : chosen
    },
    style() {
      const style = styles.chosen()
      return style.text === "" ? undefined : style
    },
    allowed: () => [...commands.turn.allowed(), ...[...readable].map((folder) => `Read(/${folder}/**)`)],
    rows: () => (isOff ? [] : commands.rows()),
    definitions() {
      if (isOff) return []
      commands.catalog.forget()
      const own = commands.catalog.list().flatMap(({ name }) => commands.catalog.find(name) ?? [])
      return [...own, ...serverSkills.list()]
    },
    skillServers: serverSkills.inUse,
    skillNames: () => (isOff ? [] : skills.names()),
    complete: serverPrompts.complete,
  }
}

/** A hook that cannot be read might be a guard. Hooks of events that nobody knows are left alone. */
async function wrongHooks({ hooks }: CommandDefinition): Promise<string | undefined> {
  if (hooks === undefined) return undefined
  const { fatalProblem } = await import("./written-hooks.ts")
  return fatalProblem(hooks)
}

/** What the session has found is used the first time. */
function onceFrom(found: ExtensionParts["found"], find: () => readonly CommandFile[]): () => readonly CommandFile[] {
  let handed = found
  return () => {
    const first = handed?.()
    handed = undefined
    return first ?? find()
  }
}

/** The files of the user's own skill may be read while it is in use. */
function openFolder({ folder, source }: CommandDefinition, readable: Set<string>): void {
  if (folder === undefined || (source !== "user" && source !== "plugin")) return
  for (const path of [folder, realOf(folder)]) if (path !== undefined && isPlain(path)) readable.add(path)
}

async function keepStyle(name: string, place: SessionOptions["place"]): Promise<Result<void, string>> {
  const { cwd: root, stateFolder: state, home } = place
  // Where the folder is not trusted, the project's own settings would not count in the next session.
  const file = place.trusted === true ? "local settings" : "user settings"
  // Settings validation is large, and nothing else at startup needs it.
  const { setSetting } = await import("#ground/settings/set.ts")
  const saved = setSetting({ ...rulePlace(file, { root, state, home }), key: "outputStyle", value: name })
  return saved.ok ? ok(undefined) : failed(`The output style could not be saved for later sessions: ${saved.failure}`)
}

const bundledFiles = ({ bundled, trailer, trailerBy }: ExtensionChoice): readonly CommandFile[] =>
  bundled ? bundledCommands({ trailer, trailerBy }).map(bundledFile) : []

const bundledFile = onceFor((definition: CommandDefinition): CommandFile => ({
  ...definition,
  definition,
  text: () => definition.body,
}))

function filesIn(where: ExtensionPlace, kind: "output-styles", whose: "all" | "user") {
  const own = extensionFolders(where, kind)
    .filter(({ source }) => whose === "all" || source === "user")
    .flatMap(({ path: folder }) => markdownBelow(folder))
  const brought = (where.plugins ?? []).flatMap(({ name: plugin, styles }) =>
    styles.flatMap(markdownAt).map(({ name, path }) => ({ name: `${plugin}:${name}`, path })),
  )
  return [...own, ...brought].map(({ name, path }) => ({ name, path, text: () => textFiles.read(path)?.text }))
}

const isPlain = (path: string): boolean => !/[*?[\]{}()!\\]/.test(path)
