/** The agent itself: one prompt without a screen, or a conversation in the terminal. */

import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { cleaningMark, isCleaningDue } from "#ground/transcript/cleaning.ts"
import { allowWaiting } from "#ground/workspace/processes/threads.ts"
import type { BackgroundWait } from "#faces/headless/background.ts"
import { type ExitStyle, noModelError, readerGone, usageError } from "#faces/headless/exit.ts"
import type { MessageOptions } from "#faces/headless/sdk/messages.ts"
import { notStartedMessage } from "#faces/headless/result.ts"
import { type OutputFormat, runHeadless } from "#faces/headless/run.ts"
import { sinceStart, systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { lazily } from "#lib/lazily.ts"
import { isBelow } from "#lib/lies-in.ts"
import { ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { wrapAnswer } from "#lib/wrap-stream.ts"
import type { NextConversation, ToBackground } from "#session/opening/program.ts"
import { problemLine } from "#ground/settings/read-source.ts"
import { fileNotices } from "./file-notices.ts"
import { type Arguments, parseArguments } from "./flags/argv.ts"
import { backgroundWait } from "./flags/background-wait.ts"
import type { StartFailure } from "./failure.ts"
import { type FlagName, flags } from "./flags/flags.ts"
import { foreignFlags, foreignIn } from "./flags/foreign-flags.ts"
import type { Io } from "./io.ts"
import { readSetting, type StartupContext } from "./startup-context.ts"
import { interruptOp, onSignals, type StopRequest } from "./signals.ts"
import type { Started } from "./sessions/started.ts"
import { startSession } from "./start.ts"
import type { AskedPlace, Ready } from "./terminal/before-opening.ts"
import { openStartupProfile } from "./startup-profile.ts"
import { type Prompt, readPrompt, sendInitial, typedPrompt, withInitial } from "./flags/first-prompt.ts"
import { streamMisuse, messageOptions } from "./flags/stream-flags.ts"

export interface RunPlace {
  readonly folder?: string
  readonly stdin?: "appended" | "left alone"
  /** Where the user works, if not in the current folder. */
  readonly at?: string
}

export async function runCommand(argv: readonly string[], io: Io, place: RunPlace = {}): Promise<number> {
  const parsed = parseArguments<string>(argv, [...flags, ...foreignFlags])
  const foreign = parsed.ok ? foreignIn(parsed.value) : undefined
  const wrong = parsed.ok ? foreign?.refused : parsed.failure.message
  if (!parsed.ok || wrong !== undefined) {
    io.fail(wrong ?? "")
    return usageError[argv.includes("--detailed-exit-codes") ? "detailed" : "plain"]
  }
  for (const note of foreign?.notes ?? []) io.warn(note)
  allowWaiting(mostSlowReads)
  return runParsed(parsed.value, io, place)
}

/** As many as read-only calls may run at once, unless configured higher. */
const mostSlowReads = 10

async function runParsed(asked: Arguments<FlagName>, io: Io, place: RunPlace): Promise<number> {
  const style: ExitStyle = asked.has("detailed-exit-codes") ? "detailed" : "plain"
  const misuse = (message: string): number => {
    io.fail(message)
    return usageError[style]
  }

  const served = await serveOthers(asked, io, place, misuse)
  if (served !== undefined) return served
  if (asked.has("init-only")) return (await import("./extensions/init-only.ts")).initOnly(asked, io, place.folder)
  const headless = asked.has("print")
  // The table of flags lists the formats, and the parser has held the value against it.
  const format = (asked.value("output-format") ?? "text") as OutputFormat
  if (asked.has("bg")) return inBackground(asked, io, place, { style, misuse, refuse: openRefusing(asked, format, io) })
  if (!headless && !process.stdin.isTTY)
    return misuse('There is no terminal for a conversation. Use -p to answer one prompt: codewright -p "your prompt"')
  const prompt = headless ? await readPrompt(asked, place, io.warn) : ok({ text: typedPrompt(asked) })
  if (!prompt.ok) return misuse(prompt.failure)

  const refuse = openRefusing(asked, format, io)
  const profile = asked.has("profile-startup") ? openStartupProfile(sinceStart) : undefined
  profile?.mark(headless ? "program and prompt" : "program")
  const own = await ownFolder(asked, place)
  if (!own.ok) return refuse(own.failure, style)
  const folder = own.value?.folder ?? place.folder ?? place.at
  if (own.value) io.warn(own.value.note)
  const read = await readSetting(asked, folder)
  if (!read.ok) return refuse(read.failure, style)
  profile?.mark("settings")
  const onScreen = !headless && isScreen(asked, read.value)
  const isOurs = place.folder !== undefined && own.value === undefined
  const ready = await readyIn(
    { asked, setting: read.value, onScreen, place: { ...optional("folder", folder), isOurs } },
    prompt.value.text,
    io,
  )
  if (!ready.ok) return refuse(ready.failure, style)
  if (ready.value === "quits") return 0
  const { args } = ready.value
  const setting = ok(ready.value.setting)
  const exitStyle: ExitStyle = setting.value.loaded.settings.detailedExitCodes ? "detailed" : style
  const problems = toldProblems(setting.value, io)
  const wait = backgroundWait(args, setting.value)
  if (!wait.ok) return refuse(wait.failure, exitStyle)
  if (onScreen) profile?.mark("first questions")
  const started = await startSession(args, setting.value, headless ? "headless" : "terminal", undefined, {
    mark: profile?.mark,
  })
  if (!started.ok) return refuse(started.failure, exitStyle)
  const tellProfile = (): void => profile?.lines().forEach(io.warn)
  if (headless) tellProfile()
  const notices = fileNotices([...problems, ...started.value.fileNotes])
  for (const note of [...started.value.notes, ...notices]) io.warn(note)
  await followIfAsked(args, setting.value, started.value, io)
  await restartHost(setting.value.state)
  if (headless) started.value.editor?.listen({ said: io.warn })

  const close = lazily(() => started.value.close())
  const code = headless
    ? await answer({
        started: started.value,
        prompt: withInitial(started.value.initialPrompt, prompt.value),
        format,
        exitStyle,
        backgroundWait: wait.value,
        messageOptions: messageOptions(args),
        verbose: args.has("verbose"),
        close,
        io,
      })
    : await talk(
        started.value,
        await sendInitial(started.value, prompt.value),
        setting.value,
        onScreen ? "screen" : "lines",
        io,
      )
  if (typeof code === "object" && "background" in code)
    return moveToBackground(code.background, { args, setting: setting.value, started: started.value, io })
  const why = started.value.ended?.()
  if (why !== undefined) io.warn(`The session has ended here: ${why}`)
  await close()
  if (!headless) tellProfile()
  if (typeof code === "number") {
    // A session of another process may still work in its worktree.
    if (!started.value.ended)
      await afterwards(setting.value, onScreen && code < firstSignalCode ? "screen" : "words", io)
    return code
  }
  // A copy begins in the folder of the conversation it is made from.
  return runParsed(resuming(args, code), io, { ...place, at: setting.value.cwd })
}

/** This process works for others: a lead, background sessions, a server, or a client. */
async function serveOthers(
  asked: Arguments<FlagName>,
  io: Io,
  place: RunPlace,
  misuse: (message: string) => number,
): Promise<number | undefined> {
  const member = asked.value("member")
  if (member !== undefined) return (await import("./team/member.ts")).runMember(member, io)
  if (asked.has("background-host")) return (await import("./background/run-host.ts")).runHost(io)
  const server = asked.value("server")
  if (server !== undefined)
    return (await import("./fleet/remote-watch.ts")).watchRemote(asked.value("resume"), server, io)
  const wrong = streamMisuse(asked)
  if (wrong !== undefined) return misuse(wrong)
  return asked.value("input-format") === "stream-json"
    ? (await import("./client.ts")).serveClient(asked, io, place.folder)
    : undefined
}

/** `--bg`. A session of before may continue without a prompt. */
async function inBackground(
  asked: Arguments<FlagName>,
  io: Io,
  place: RunPlace,
  {
    style,
    misuse,
    refuse,
  }: {
    readonly style: ExitStyle
    readonly misuse: (message: string) => number
    readonly refuse: ReturnType<typeof openRefusing>
  },
): Promise<number> {
  const isEarlier = asked.has("resume") || asked.has("continue")
  const prompt = isEarlier ? ok({ text: asked.rest.join(" ") }) : await readPrompt(asked, place, io.warn)
  if (!prompt.ok) return misuse(prompt.failure)
  const { startInBackground } = await import("./background/bg.ts")
  const begun = await startInBackground(asked, prompt.value, io, place.folder ?? place.at)
  return begun.ok ? begun.value : refuse(begun.failure, style)
}

/** `/bg`. */
async function moveToBackground(
  prompt: string,
  parts: {
    readonly args: Arguments<FlagName>
    readonly setting: StartupContext
    readonly started: Started
    readonly io: Io
  },
): Promise<number> {
  return (await import("./background/move-to-background.ts")).moveToBackground(prompt, parts)
}

/** Nothing is loaded where background sessions were never used. */
async function restartHost(state: string): Promise<void> {
  if (!existsSync(join(state, "background"))) return
  await (await import("./background/start-host.ts")).restartHost(state)
}

/** What is asked before a session opens, and the worktree it opens in. */
async function readyIn(
  begun: {
    readonly asked: Arguments<FlagName>
    readonly setting: StartupContext
    readonly onScreen: boolean
    readonly place: AskedPlace
  },
  words: string,
  io: Io,
): Promise<Result<Ready | "quits", StartFailure>> {
  const { asked, setting, onScreen, place } = begun
  const ask = async (args: Arguments<FlagName>, there: StartupContext, at: AskedPlace): ReturnType<typeof readyIn> =>
    onScreen ? (await import("./terminal/before-opening.ts")).askBefore(args, there, at) : ok({ args, setting: there })
  const ready = await ask(asked, setting, place)
  if (!ready.ok || ready.value === "quits" || !ready.value.args.has("worktree")) return ready
  const { args } = ready.value
  const entered = await (await import("./worktree/enter-worktree.ts")).enterWorktree(args, ready.value.setting, words)
  if (!entered.ok) return entered
  const { folder, notes } = entered.value
  for (const note of notes) io.warn(note)
  const there = await readSetting(args, folder)
  // In one that was worked in before, there may be more to trust.
  return there.ok ? ask(args, there.value, { folder, isOurs: false }) : there
}

/** What is left to do when a session is closed. */
async function afterwards(setting: StartupContext, face: "screen" | "words", io: Io): Promise<void> {
  if (isBelow(setting.cwd, join(setting.state, "worktrees")))
    await (await import("./worktree/leave-worktree.ts")).leaveWorktree(setting, face, io)
  if (isCleaningDue(cleaningMark(setting.state), systemClock.now()))
    await (await import("./sessions/tidy.ts")).tidy(setting)
}

/** Ended by a signal, so nobody is there to ask. */
const firstSignalCode = 128

/** For a run that did not start: what is said and printed, and the exit code. */
const openRefusing =
  (asked: Arguments<FlagName>, format: OutputFormat, io: Io) =>
  ({ kind, message }: StartFailure, exitStyle: ExitStyle): number => {
    io.fail(message)
    const uuid = systemIds.uuid()
    const sessionId = asked.value("resume") || asked.value("session-id") || uuid
    if (asked.has("print") && format !== "text")
      io.write(`${JSON.stringify(notStartedMessage(message, { sessionId, uuid }))}\n`)
    if (kind === "error") return 1
    return (kind === "usage" ? usageError : noModelError)[exitStyle]
  }

/** Says what is wrong besides the problems of files, which are shown together later. */
function toldProblems({ loaded, warnings }: StartupContext, io: Io): readonly string[] {
  const problems = loaded.problems.map(problemLine)
  for (const warning of warnings) if (!problems.includes(warning)) io.warn(warning)
  return problems
}

/** Loaded only for a resume. */
const ownFolder = async (args: Arguments<FlagName>, { folder, at }: RunPlace) =>
  args.value("resume") === undefined
    ? ok(undefined)
    : (await import("./sessions/resumed-folder.ts")).resumedFolder(args, folder ?? at)

/** Drops the prompt, which was meant for the last conversation. */
const resuming = (args: Arguments<FlagName>, { resume, fork }: NextConversation): Arguments<FlagName> => ({
  has: (name) =>
    name === "resume" ||
    (name === "fork-session"
      ? fork === true
      : !["continue", "session-id", "worktree"].includes(name) && args.has(name)),
  value: (name) => (name === "resume" ? resume : name === "session-id" ? undefined : args.value(name)),
  list: args.list,
  rest: [],
})

async function answer(run: {
  readonly started: Started
  readonly prompt: Prompt
  readonly format: OutputFormat
  readonly exitStyle: ExitStyle
  readonly backgroundWait: BackgroundWait
  readonly messageOptions: MessageOptions
  readonly verbose: boolean
  readonly close: () => Promise<void>
  readonly io: Io
}): Promise<number> {
  const { started, prompt, format, exitStyle, backgroundWait: wait, messageOptions: telling, verbose, close, io } = run
  const { session, models, apiKeySource, leftOut } = started
  const stop = new AbortController()
  const end = (how: StopRequest): void => {
    stop.abort()
    void session.submit(interruptOp(how))
  }
  const signals = onSignals(end, systemClock)
  let isRead = true
  void io.unread.then(() => {
    isRead = false
    end({ cause: "output_closed" })
  })
  const code = await runHeadless({
    session,
    prompt: [{ type: "text", text: prompt.text }],
    origin: prompt.origin,
    format,
    shows: verbose ? "steps" : "answer",
    exitStyle,
    backgroundWait: wait,
    messageOptions: telling,
    close,
    stop: stop.signal,
    version,
    apiKeySource,
    leftOut,
    factsOf: models.factsOf,
    write: io.write,
    writeForeign: (text) => io.writeForeign(wrapAnswer(text, io.columns())),
    writeAside: io.writeAside,
    warn: io.warn,
    clock: systemClock,
    ids: systemIds,
  })
  await io.flushed()
  return signals.code() ?? (isRead ? code : readerGone)
}

/** Loads only the face that is used. Returns the exit code, or the conversation to continue with instead. */
async function talk(
  { session, models, editor }: Started,
  prompt: string,
  setting: StartupContext,
  face: "screen" | "lines",
  io: Io,
): Promise<number | NextConversation | ToBackground> {
  if (face === "lines")
    editor?.listen({ said: io.warn, mentioned: (text) => io.warn(`Sent from your editor: ${text}`) })
  if (face === "lines")
    return (await import("./terminal/converse.ts")).converse(session, prompt, io, setting.environment.term)
  return (await import("./terminal/on-screen.ts")).converseOnScreen({ session, models, prompt, setting, io, editor })
}

const isScreen = (args: Arguments<FlagName>, { environment, loaded }: StartupContext): boolean =>
  process.stdout.isTTY &&
  environment.term !== undefined &&
  environment.term !== "dumb" &&
  !environment.plain &&
  !args.has("screen-reader") &&
  !loaded.settings.screenReader

async function followIfAsked(
  args: Arguments<FlagName>,
  setting: StartupContext,
  { session }: Started,
  io: Io,
): Promise<void> {
  const { debug } = setting.environment
  const file = args.value("debug-file")
  const isAside = args.has("debug-to-stderr") && args.has("print") && file === undefined
  if (!args.has("debug") && !isAside && file === undefined && debug === undefined) return
  const [{ followInto }, { readFilter }] = await Promise.all([
    import("./telemetry/debug.ts"),
    import("./telemetry/debug-filter.ts"),
  ])
  const filter = readFilter(args.value("debug") ?? (debug === "1" ? "" : (debug ?? "")))
  if (!filter.ok) return io.warn(`No debug log: ${filter.failure}`)
  const usual = join(setting.state, "logs", `${session.id}.log`)
  // On a screen, standard error is the screen.
  const place = isAside ? { write: io.writeAside } : { file: file === undefined ? usual : resolve(setting.cwd, file) }
  const { network } = setting
  const followed = followInto({ place, session, network, filter: filter.value })
  if (!followed.ok) io.warn(`No debug log: ${followed.failure}`)
  else if ("file" in place) io.warn(`Debug log: ${place.file}`)
}
