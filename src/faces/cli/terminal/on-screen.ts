/** A conversation on the whole screen of a capable terminal. */

import { join } from "node:path"
import type { ContextLevels } from "#faces/tui/state.ts"
import type { Models } from "#ground/models/router.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import type { OpenStatusLine, StatusLineParts } from "./status-line.ts"
import { readKeymap } from "#faces/tui/keymap.ts"
import { runTui } from "#faces/tui/run.ts"
import { compactionChoice } from "#kits/compaction/choice.ts"
import { levelsOf } from "#kits/compaction/levels.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { shortPath } from "#lib/tilde.ts"
import type { NextConversation, ToBackground } from "#session/opening/program.ts"
import type { Session } from "#session/port/session.ts"
import { currentBranch } from "./branch.ts"
import { openFileFinder, suggestionCommand } from "./find-files.ts"
import { spinnerVerbs } from "./spinner-verbs.ts"
import { appearanceWarnings } from "./appearance-warnings.ts"
import type { EditorSide } from "#faces/cli/editor/editor-side.ts"
import type { Io } from "#faces/cli/io.ts"
import { openOwnEditor } from "./own-editor.ts"
import { ownTerminal, themeOf } from "./own-terminal.ts"
import { panelPorts } from "./panel-ports.ts"
import { openPictures } from "./pictures.ts"
import { openPromptHistory } from "./prompt-history.ts"
import { openUses } from "./uses-file.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { startedAs } from "#faces/cli/started-as.ts"
import { onTermination } from "#faces/cli/signals.ts"

/** Returns the exit code, or the conversation to continue with instead. */
export async function converseOnScreen({
  session,
  models,
  prompt,
  setting,
  io,
  editor: beside,
  stop,
  title,
}: {
  readonly session: Session
  readonly models: Models
  readonly prompt: string
  readonly setting: StartupContext
  readonly io: Io
  readonly editor?: EditorSide | undefined
  /** Leaves the screen when it aborts. */
  readonly stop?: AbortSignal
  /** What the window is called, if not by the folder. */
  readonly title?: string
}): Promise<number | NextConversation | ToBackground> {
  const [about, state] = await Promise.all([session.ask({ type: "about" }), session.ask({ type: "state" })])
  const { cwd } = about
  const { settings } = setting.loaded
  const { keymap, warnings } = readKeymap(settings.keybindings ?? {})
  // From the real environment, which no project can change.
  const env = (): { readonly [name: string]: string } => childEnvironment(processEnvironment())
  const statusLine = await statusLineFor({ setting, models, session, about })
  let next: NextConversation | ToBackground | undefined
  const tui = runTui({
    session,
    about,
    state,
    ...optional("title", title),
    prompt: prompt === "" ? undefined : prompt,
    terminal: ownTerminal(setting),
    theme: themeOf(setting),
    notifications: setting.loaded.settings.notifications ?? "desktop",
    panels: panelPorts(setting, models, session, about, (conversation) => (next = conversation)),
    clock: systemClock,
    factsOf: models.factsOf,
    levelsOf: contextLevels(setting, models),
    branch: () => currentBranch(cwd),
    findFiles: openFileFinder({
      folder: cwd,
      cacheFolder: join(setting.state, "cache"),
      home: setting.home,
      added: about.addedFolders,
      ignored: settings.respectGitignore === false ? "all" : "hidden",
      command: suggestionCommand(settings.fileSuggestion),
      env,
    }),
    verbs: spinnerVerbs(settings.spinnerVerbs),
    keymap,
    statusLine,
    beside,
    startedAs: startedAs(setting.home),
    shortPath: (path) => shortPath(path, { cwd, home: setting.home }),
    editorMode: settings.editorMode === "vim" || settings.vim === true ? "vim" : "plain",
    ...(about.logPath !== undefined && { background: (text: string) => (next = { background: text }) }),
    workflow: (words, said) => void startWorkflow(words, setting, said),
    sideColumn: settings.sideColumn === false ? "hidden" : "shown",
    mouse: settings.mouse === false ? "off" : "on",
    notes: [...warnings, ...appearanceWarnings(setting)],
    history: openPromptHistory({ state: setting.state, cwd, pid: process.pid, clock: systemClock }),
    uses: openUses({ state: setting.state, pid: process.pid }),
    ...(settings.spinnerTipsEnabled === false
      ? { tips: "off" }
      : { examples: async () => (await import("./example-prompts.ts")).examplePrompts(cwd) }),
    pictures: openPictures({ home: setting.home, clipboard: () => ({ platform: process.platform, env: env() }) }),
    editor: openOwnEditor(() => ({ command: setting.environment.editor, env: env(), cwd })),
  })
  const termination = onTermination(({ cause }) => tui.leave(cause), systemClock)
  stop?.addEventListener("abort", () => tui.leave(), { once: true })
  process.on("uncaughtException", tui.fail)
  process.on("unhandledRejection", tui.fail)
  const crash = await tui.ended
  await statusLine?.close()
  process.off("uncaughtException", tui.fail)
  process.off("unhandledRejection", tui.fail)
  if (crash) {
    const { crashWords, keepCrashReport } = await import("#faces/cli/doctor/crash-report.ts")
    return io.fail(crashWords(keepCrashReport(setting.state, session.id, crash.error), session.id))
  }
  return termination.code() ?? next ?? 0
}

function contextLevels({ loaded, environment }: StartupContext, { factsOf }: Models): (model: string) => ContextLevels {
  const { when, trigger } = compactionChoice(loaded.settings, environment).choice
  return (model) => {
    const { warning, auto } = levelsOf(factsOf(model), trigger)
    return { warning, ...(when === "auto" && { compactsAt: auto }) }
  }
}

/** The user's own, or that of a plugin; nothing is loaded where there is neither. */
async function statusLineFor(parts: StatusLineParts): Promise<OpenStatusLine | undefined> {
  const { setting, about } = parts
  const isOwn = setting.loaded.settings.statusLine !== undefined
  if (!isOwn && !about.plugins) return undefined
  const { configuredStatusLine, statusLineOf } = await import("./status-line.ts")
  const wanted = isOwn
    ? configuredStatusLine(setting)
    : (await import("#faces/cli/plugins/plugin-status-line.ts")).pluginStatusLine(setting, about)
  return wanted && statusLineOf(parts, wanted)
}

async function startWorkflow(words: string, setting: StartupContext, said: (text: string) => void): Promise<void> {
  const { workflowBeside } = await import("#faces/cli/workflow/workflow-beside.ts")
  await workflowBeside(words, setting, said)
}
