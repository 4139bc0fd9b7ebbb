/** What the context kits need from a session: where memory files are, who can be asked, and how files are shown. */

import { join } from "node:path"
import { ownCall } from "#agent/words/question.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import { openOutsideImports } from "#ground/settings/outside-imports.ts"
import { findRepository, headMark, indexBytes, mainBranchOf } from "#ground/workspace/git/git.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { isBelow } from "#lib/lies-in.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import { criticalKit } from "#kits/context/critical.ts"
import { editorKit } from "#kits/context/editor.ts"
import { showable } from "./showable-view.ts"
import { type AskGit, type GitFacts, gitState, type GitState } from "#kits/context/git-status.ts"
import { loadMemory, loadNested, type Memory, type MemoryGround, type MemoryPlace } from "#kits/context/memory.ts"
import { type MentionPorts, mentionsKit } from "#kits/context/mentions.ts"
import { notesWords } from "#kits/context/notes.ts"
import { type UsagePorts, usageKit } from "#kits/context/usage.ts"
import { type UserContext, userContextKit } from "#kits/context/user-context.ts"
import { fileIn } from "#kits/mcp/file-address.ts"
import type { Skills } from "#kits/skills/kit.ts"
import { lsTool } from "#kits/tools/ls.ts"
import { readTool } from "#kits/tools/read.ts"
import { optional } from "#lib/optional.ts"
import type { Ground } from "./ground.ts"
import { openMentioned } from "./seen-files.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Questions } from "#session/journal/questions.ts"

export interface Beforehand {
  readonly place: MemoryPlace
  readonly userContext: UserContext
}

export interface BeforehandParts extends Pick<SessionOptions, "place" | "memory" | "manner" | "clock"> {
  readonly lineage: Pick<Lineage, "prompts">
  readonly ground: Ground
  readonly isHidden: (path: string) => boolean
  readonly ask: Questions["ask"]
  readonly record: (body: EntryBody) => void
  /** Where the agent works, if the system prompt does not say it. */
  readonly environment: (() => string) | undefined
  readonly promptDate: () => string
}

export function openBeforehand(parts: BeforehandParts): Beforehand {
  const { ground, record, clock, manner } = parts
  const { workspace } = ground
  const { trusted, stateFolder } = parts.place
  const place = memoryPlace(parts, ground)
  const imports = openOutsideImports(stateFolder)
  const memoryGround: MemoryGround = {
    files: textFiles,
    isHidden: parts.isHidden,
    // In an untrusted folder, no file may import from outside.
    mayImport: (file) => trusted === true && imports.isAllowed(place.root, file) === true,
  }
  // Whoever declined once is not asked or told again.
  const undecided = (memory: Memory): Memory => ({
    ...memory,
    outside: memory.outside.filter((file) => imports.isAllowed(place.root, file) !== false),
  })
  const notes = parts.memory?.notesFolder
  const asksAboutImports = trusted === true && parts.lineage.prompts === "person" && manner.asks !== "nobody"

  const userContext = userContextKit({
    load: () => undecided(loadMemory(place, memoryGround)),
    loadNested: (file) => undecided(loadNested(file, place, memoryGround)),
    touched: () => [
      ...workspace.stamps.paths(),
      // Memory is looked for around files.
      ...ground.folders.inner().map((folder) => join(folder, "any")),
    ],
    ...gitPort(parts, ground),
    ...optional("environment", parts.environment),
    ...(notes !== undefined && { notes: () => notesWords(notes, textFiles) }),
    date: () => dayOf(clock.now()),
    promptDate: parts.promptDate,
    ...(asksAboutImports && {
      async askOutside(paths: readonly string[], signal: AbortSignal) {
        const unasked = paths.filter((path) => imports.isAllowed(place.root, path) === undefined)
        if (unasked.length === 0) return false
        const answer = await parts.ask(outsideQuestion(unasked), signal)
        if (answer.kind !== "choices") return false
        const isAllowed = Object.values(answer.answers).includes(allowLabel)
        const kept = imports.keep(place.root, unasked, isAllowed)
        if (!kept.ok) record({ kind: "notice", level: "warning", text: kept.failure })
        return isAllowed
      },
    }),
    warn: (text) => record({ kind: "notice", level: "warning", text }),
  })
  return { place, userContext }
}

export interface AroundPrompts {
  readonly mentions: Kit | undefined
  readonly critical: Kit | undefined
  readonly editor: Kit | undefined
  readonly usage: Kit | undefined
}

export interface AroundParts extends Pick<SessionOptions, "editor"> {
  /** Repeated to the agent with every prompt. */
  readonly reminder: string | undefined
  readonly lineage: Pick<Lineage, "prompts">
  readonly ground: Ground
  readonly isHidden: (path: string) => boolean
  readonly usage: UsagePorts
  readonly resource: NonNullable<MentionPorts["resource"]>
  readonly agents: () => readonly string[]
}

export function openAroundPrompts(parts: AroundParts): AroundPrompts {
  const { workspace } = parts.ground
  // An agent's prompts are written by another model, which must not have files read this way.
  if (parts.lineage.prompts === "agent")
    return { mentions: undefined, critical: undefined, editor: undefined, usage: undefined }
  const isAllowedReally = (real: string): boolean =>
    parts.ground.folders.all().some((root) => real === realPath(root) || isBelow(real, realPath(root)))
  /** Nobody asked for what an editor shows, so only files of the workspace count, and none that is denied. */
  const isShowable = (path: string): boolean => {
    const real = realPath(path)
    if (parts.isHidden(path) || parts.isHidden(real)) return false
    return parts.ground.isAllowedFolder(path) && isAllowedReally(real) && workspace.files.stat(real).ok
  }
  const mentioned = openMentioned(workspace.stamps)
  const read = readTool({ ...workspace, stamps: mentioned.stamps })
  const list = lsTool(workspace)
  const context = (signal: AbortSignal) => ({ callId: "mention", signal, progress: () => {} })
  const mentions = mentionsKit({
    kindOf(path, by) {
      const resolved = workspace.paths.resolve(path)
      if (!resolved.ok) return undefined
      const real = realPath(resolved.value)
      if (parts.isHidden(resolved.value) || parts.isHidden(real)) return undefined
      // Where a link in the workspace leads is the project's choice, not the user's.
      const isNamedInside = parts.ground.isAllowedFolder(resolved.value)
      const mustBeInside = isNamedInside || by === "project" || parts.ground.judged.confined === true
      if (mustBeInside && !isAllowedReally(real)) return "elsewhere"
      const seen = workspace.files.stat(real)
      if (seen.ok) return "file"
      return seen.failure.kind === "is_folder" ? "folder" : undefined
    },
    read: (file_path, lines, signal) => mentioned.reading(() => read.run({ file_path, ...lines }, context(signal))),
    shown: mentioned.shown,
    list: (path, signal) => list.run({ path, ignore: [] }, context(signal)),
    async resource(server, uri, signal) {
      const file = fileIn(uri)
      return file !== undefined && parts.isHidden(file) ? undefined : parts.resource(server, uri, signal)
    },
    agents: parts.agents,
  })
  return {
    mentions,
    critical: parts.reminder === undefined ? undefined : criticalKit(parts.reminder),
    editor: parts.editor && editorKit(showable(parts.editor, isShowable)),
    usage: usageKit(parts.usage),
  }
}

export const withSkills = (context: GivenContext, skills: Skills | undefined): GivenContext =>
  skills === undefined
    ? context
    : {
        texts: async (signal) => [...(await context.texts(signal)), ...skills.texts()],
        isGiven: (name) => context.isGiven(name) || skills.isGiven(name),
      }

type GivenContext = Pick<UserContext, "texts" | "isGiven">

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

function memoryPlace(
  { place, memory }: Pick<SessionOptions, "place" | "memory">,
  { repository, folders }: Ground,
): MemoryPlace {
  const claudeFolder = memory?.claudeFolder ?? join(place.home, ".claude")
  return {
    cwd: place.cwd,
    root: repository?.root ?? place.cwd,
    home: place.home,
    added: folders.added,
    managed: memory?.managedFolder === undefined ? [] : [join(memory.managedFolder, "AGENTS.md")],
    user: [join(place.stateFolder, "AGENTS.md"), join(claudeFolder, "CLAUDE.md")],
    userRules: [claudeFolder, place.stateFolder].map((folder) => join(folder, "rules")),
    excludes: memory?.excludes ?? [],
    ...optional("sources", memory?.sources),
  }
}

function gitPort(
  { place, clock }: Pick<SessionOptions, "place" | "clock">,
  { repository, workspace }: Ground,
): { git?: () => Promise<GitState>; gitMark?: () => string | undefined } {
  if (!repository) return {}
  const { root } = repository
  const facts = (): GitFacts => ({
    branch: findRepository(root)?.branch ?? repository.branch,
    mainBranch: mainBranchOf(root),
    // Where git is not run, no status is owed.
    size: place.trusted === true && indexBytes(root) > mostSmallIndex ? "large" : "small",
  })
  const never = new AbortController().signal
  // A repository can tell git what to run, so git is used only in folders the user trusts.
  const askGit: AskGit = async (argv, manner) => {
    if (place.trusted !== true) return undefined
    const { openAskGit } = await import("#ground/workspace/git/ask-git.ts")
    const { processes } = workspace
    const ask = openAskGit({ processes, clock, env: place.childEnv, longestMs: longestGitMs[manner] })
    return (await ask(argv, place.cwd, never))?.text
  }
  return { git: () => gitState(facts(), askGit), gitMark: () => headMark(root) }
}

/** About 10,000 files: git needs some 20 ms for their status. */
const mostSmallIndex = 1_000_000

/** Only a git that hangs takes so long, such as on a disk that is gone. */
const longestGitMs = { awaited: 30_000, background: 600_000 } as const

const allowLabel = "Bring them in"

const outsideQuestion = (paths: readonly string[]) =>
  ({
    kind: "choice",
    callId: ownCall("memory-imports"),
    questions: [
      {
        header: "Memory",
        question: `Memory files of this project bring in files from outside of it: ${paths.join(", ")}. May the model see them?`,
        options: [
          { label: allowLabel, description: "For this project, from now on." },
          { label: "Leave them out", description: "They are not asked about again." },
        ],
        multiSelect: false,
        takes: "an option",
      },
    ],
  }) as const
