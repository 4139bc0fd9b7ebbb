/** The editor beside a conversation in the terminal. Nothing that connects to one is loaded until it is wanted. */

import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import type { FoundEditor } from "#ground/editors/lock-files.ts"
import type { EditorMention } from "#ground/editors/messages.ts"
import type { ReadEditor } from "#kits/context/editor.ts"
import { systemClock } from "#lib/clock.ts"
import { lazily } from "#lib/lazily.ts"
import { forConsent } from "#lib/printable.ts"
import { shortPath } from "#lib/tilde.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { EditorDiffs } from "./editor-diffs.ts"
import type { EditorLink } from "./editor-link.ts"
import { statusWords } from "./status-words.ts"

export interface EditorSide {
  readonly link: () => Promise<EditorLink>
  readonly read: ReadEditor
  /** What is selected there, for the status row; undefined while no editor is connected. */
  readonly words: () => string | undefined
  /** Returns how to stop. What was said before is said at once. */
  readonly listen: (listener: EditorListener) => () => void
  /** Connects if that is wanted from the start. Settles when it is connected, or will not be. */
  readonly start: (session: SessionPort) => Promise<void>
  readonly close: () => void
}

export interface EditorListener {
  readonly changed?: () => void
  /** The user sent a file or some of its lines to the prompt, as a mention. */
  readonly mentioned?: (text: string) => void
  /** The user should know. */
  readonly said: (text: string) => void
}

export interface SideParts {
  /** Where editors write their lock files. */
  readonly folder: string
  readonly cwd: string
  readonly home: string
  /** Why an editor is looked for at the start; absent if none is. */
  readonly wish?: "flag" | "terminal" | "setting" | undefined
  /** The port of the editor in whose terminal this runs. */
  readonly port?: number | undefined
  readonly showsDiffs: boolean
}

/** The first request waits no longer for an editor that is slow to connect. */
const patienceMs = 500

export function editorSideOf(
  args: Arguments<FlagName>,
  setting: StartupContext,
  face: "terminal" | "headless",
): EditorSide {
  const { cwd, home, environment, loaded } = setting
  return openEditorSide({
    folder: join(environment.claudeFolder ?? join(home, ".claude"), "ide"),
    cwd,
    home,
    wish: wishOf(args, setting),
    port: environment.idePort,
    showsDiffs: face === "terminal" && loaded.settings.diffTool !== "terminal",
  })
}

export function openEditorSide({ folder, cwd, home, wish, port: ownPort, showsDiffs }: SideParts): EditorSide {
  const { say, tellChange, tellMention, listen } = openListeners()
  let opened: EditorLink | undefined
  let session: SessionPort | undefined
  let connecting: Promise<void> | undefined
  let lost: FoundEditor | undefined
  let seen: { readonly path: string; readonly isShared: boolean } | undefined

  const link = lazily(async (): Promise<EditorLink> => {
    const { openEditorLink } = await import("./editor-link.ts")
    opened = openEditorLink({
      folder,
      cwd,
      clock: systemClock,
      listener: {
        changed: () => void checkSelection().catch(ignore),
        connected() {
          lost = undefined
          void showQuestions().catch(ignore)
        },
        mentioned: (mention) => tellMention(mentionText(mention, { cwd, home })),
        lost(editor) {
          lost = editor
          say(`${nameOf(editor)} closed the connection. Once it is back, your next prompt connects again.`)
          tellChange()
        },
      },
    })
    return opened
  })

  /** The status row must not say that something is shown which the rules withhold. */
  async function checkSelection(): Promise<void> {
    tellChange()
    const path = opened?.selection()?.path
    if (path === undefined || path === seen?.path || !session) return
    seen = { path, isShared: false }
    const read = await session.ask({ type: "read_file", path, most: 1 })
    if (seen.path !== path) return
    seen = { path, isShared: read.ok }
    tellChange()
  }

  /** Follows the session from the first connection on. */
  const diffs = lazily(async (): Promise<EditorDiffs | undefined> => {
    if (!session || !opened || !showsDiffs) return undefined
    const { openEditorDiffs } = await import("./editor-diffs.ts")
    const { ask, call, connected } = opened
    const following = openEditorDiffs({ session, ask, call, isConnected: () => connected() !== undefined, say })
    void follow(session, following).catch(ignore)
    return following
  })

  async function showQuestions(): Promise<void> {
    const following = await diffs()
    for (const question of (await session?.ask({ type: "questions" })) ?? []) following?.show(question)
  }

  async function connect(): Promise<void> {
    if (wish !== "flag" && !existsSync(folder)) return
    const { all, closest, connect: connectTo } = await link()
    const own = all().find(({ port }) => port === ownPort)
    const [first, second] = own ? [own] : closest()
    if (first === undefined) {
      if (wish === "flag") say("No editor has this folder open. /ide lists the editors that are running.")
      return
    }
    if (second !== undefined) return say("Several editors have this folder open. Choose one with /ide.")
    const connected = await connectTo(first)
    if (!connected.ok) say(`Cannot connect to ${nameOf(first)}: ${forConsent(connected.failure)}.`)
  }

  /** A window that was reloaded listens on another port. */
  async function connectAgain({ name }: FoundEditor): Promise<void> {
    const again = opened?.closest().find((editor) => editor.name === name)
    if (again) await opened?.connect(again)
  }

  return {
    link,
    read(signal) {
      if (opened?.connected()) return opened.view(signal)
      if (lost) connecting ??= connectAgain(lost).finally(() => (connecting = undefined))
      return connecting && afterConnecting(connecting).then(() => opened?.view(signal))
    },
    words() {
      const editor = opened?.connected()
      if (!editor) return undefined
      const selection = opened?.selection()
      if (!selection || seen?.path !== selection.path) return nameOf(editor)
      return seen.isShared ? statusWords(selection, basename) : `${forConsent(basename(selection.path))} not shared`
    },
    listen,
    start(port) {
      session = port
      connecting = wish && connect().finally(() => (connecting = undefined))
      return connecting ?? Promise.resolve()
    },
    close: () => void opened?.disconnect(),
  }
}

function openListeners(): Pick<EditorSide, "listen"> & {
  readonly say: (text: string) => void
  readonly tellChange: () => void
  readonly tellMention: (text: string) => void
} {
  const listeners = new Set<EditorListener>()
  let undelivered: readonly string[] = []
  return {
    say(text) {
      if (listeners.size === 0) undelivered = [...undelivered, text]
      for (const { said } of listeners) said(text)
    },
    tellChange: () => listeners.forEach(({ changed }) => changed?.()),
    tellMention: (text) => listeners.forEach(({ mentioned }) => mentioned?.(text)),
    listen(listener) {
      listeners.add(listener)
      undelivered.forEach(listener.said)
      undelivered = []
      return () => void listeners.delete(listener)
    },
  }
}

/** A session that is gone answers nothing, and its end is told elsewhere. */
const ignore = (): void => {}

async function afterConnecting(connecting: Promise<void>): Promise<void> {
  const over = new AbortController()
  await Promise.race([connecting, systemClock.sleep(patienceMs, over.signal)])
  over.abort()
}

async function follow(session: SessionPort, diffs: EditorDiffs): Promise<void> {
  for await (const event of session.events("now")) diffs.onEvent(event)
}

function wishOf(args: Arguments<FlagName>, { environment, loaded }: StartupContext): SideParts["wish"] {
  if (args.has("ide")) return "flag"
  const wanted = environment.autoConnectIde ?? loaded.settings.autoConnectIde
  if (wanted === false) return undefined
  if (environment.idePort !== undefined && environment.ideIntegration) return "terminal"
  return wanted === true ? "setting" : undefined
}

/** `@src/a.ts#L3-7`, as it is typed. */
function mentionText(
  { path, from, to }: EditorMention,
  place: { readonly cwd: string; readonly home: string },
): string {
  const short = shortPath(path, place)
  const name = /[\s"'`]/.test(short) ? `"${short.replaceAll('"', "")}"` : short
  return `@${name}${from === undefined ? "" : `#L${from}${to === undefined || to === from ? "" : `-${to}`}`}`
}

const nameOf = ({ name }: FoundEditor): string => forConsent(name)
