/** What keys ask of the world outside the conversation: files, pictures, the clipboard, the user's editor, what was said before. */

import type { ImageBlock } from "#agent/words/message.ts"
import type { Result } from "#lib/result.ts"
import type { SessionPort } from "#session/port/session.ts"
import { argumentOptions, mentionOptions } from "./complete-from.ts"
import { found, foundArgument } from "./complete.ts"
import { pictured, unpictured } from "./draft.ts"
import { press, replaced } from "./editor/editor.ts"
import { type AskedArgument, type Effect, note } from "./effect.ts"
import type { Offer } from "./outcome.ts"
import { type PanelPorts, panelNames } from "./panels/ports.ts"
import { openShowing, type ShowEffect } from "./showing.ts"
import type { TuiState } from "./state.ts"
import type { Terminal } from "./terminal.ts"
import { type HistoryPort, recall } from "./recall.ts"
import type { UsesPort } from "./uses.ts"

export interface OutsidePorts {
  /** Best first; folders end with a slash. `/`, `~` and `..` lead out of the project. */
  readonly findFiles: (words: string, signal: AbortSignal) => Promise<readonly string[]>
  readonly history?: HistoryPort
  readonly uses?: UsesPort
  /** `off`: no hints about keys. */
  readonly tips?: "off"
  /** Prompts that fit the folder, for a session in which nothing was said yet. */
  readonly examples?: () => Promise<readonly string[]>
  readonly pictures?: PicturesPort
  readonly editor?: EditorPort
  /** Called before leaving: the session continues without this terminal, with this prompt if it is not empty. */
  readonly background?: (prompt: string) => void
  /** Starts a workflow beside the conversation, or lists them; calls back with what happens. */
  readonly workflow?: (words: string, said: (text: string) => void) => void
  /** Paths as the user writes them; absent where they stay as they are. */
  readonly shortPath?: (path: string) => string
}

/** Made small enough for a model. */
export interface PicturesPort {
  readonly fromFile: (path: string, signal: AbortSignal) => Promise<Result<ImageBlock, PictureFailure>>
  /** A picture, or the text in its place. */
  readonly fromClipboard: (signal: AbortSignal) => Promise<Result<ImageBlock | string, PictureFailure>>
}

export interface PictureFailure {
  /** `absent`: no such file, so the path may be meant as words. */
  readonly kind: "absent" | "unusable"
  readonly message: string
}

export interface EditorPort {
  readonly editText: (text: string, signal: AbortSignal) => Promise<Result<string, string>>
  readonly editFile: (path: string, signal: AbortSignal) => Promise<Result<void, string>>
}

export interface ExternalEffects {
  readonly act: (effect: OutsideEffect) => void
  /** Undefined if there is no editor or the user gave up. */
  readonly editText: (text: string) => Promise<string | undefined>
  readonly recall: () => Promise<void>
  readonly close: () => void
}

type OutsideEffect =
  | Extract<
      Effect,
      {
        kind:
          | "remember"
          | "use"
          | "workflow"
          | "picture"
          | "paste"
          | "edit_prompt"
          | "edit_file"
          | "find"
          | "find_argument"
          | "find_prompt_argument"
      }
    >
  | ShowEffect

export function openOutside(parts: {
  readonly ports: OutsidePorts
  readonly session: Pick<SessionPort, "ask">
  readonly panels: Pick<PanelPorts, "models" | "sessions">
  readonly lend: Terminal["lend"]
  readonly change: (next: (state: TuiState) => TuiState) => void
  readonly onEffect: (effect: Effect) => void
}): ExternalEffects {
  const { ports, lend, change, onEffect } = parts
  const { history, pictures, editor, findFiles } = ports
  const closed = new AbortController()
  let finding: AbortController | undefined

  async function read(name: string, instead: string, picture: Promise<Result<ImageBlock | string, PictureFailure>>) {
    const come = await picture
    if (closed.signal.aborted) return
    if (!come.ok) {
      if (come.failure.kind === "unusable" || instead === "") onEffect(note(come.failure.message, "error"))
      return change((state) => unpictured(state, name, instead))
    }
    const { value } = come
    if (typeof value !== "string") return change((state) => pictured(state, name, value))
    change((state) => pasted(unpictured(state, name, ""), value))
  }

  async function editText(text: string): Promise<string | undefined> {
    if (!editor) return undefined
    const changed = await lend(() => editor.editText(text, closed.signal))
    if (changed.ok) return changed.value
    onEffect(note(changed.failure, "error"))
    return undefined
  }

  async function editPrompt(text: string): Promise<void> {
    const changed = await editText(text)
    if (changed === undefined) return
    change((state) => ({ ...state, editor: { ...replaced(state.editor, changed) } }))
  }

  async function editFile(path: string): Promise<void> {
    if (!editor) return
    const done = await lend(() => editor.editFile(path, closed.signal))
    if (!done.ok) onEffect(note(done.failure, "error"))
  }

  /** Only the latest search is waited for. */
  async function searchLatest(search: (signal: AbortSignal) => Promise<(state: TuiState) => TuiState>): Promise<void> {
    finding?.abort()
    finding = new AbortController()
    const { signal } = finding
    // Nothing is offered by who cannot be reached.
    const next = await search(signal).catch(() => undefined)
    if (next && !signal.aborted) change(next)
  }

  const find = (words: string, from: number): Promise<void> =>
    searchLatest(async (signal) => {
      const options = await mentionOptions({ findFiles, ask: parts.session.ask }, words, signal)
      return (state) => found(state, words, from, options)
    })

  const findArgument = (command: AskedArgument, words: string, from: number): Promise<void> =>
    searchLatest(async (signal) => {
      const sources = { findFiles, ask: parts.session.ask, panels: parts.panels }
      const options = await argumentOptions(sources, command, words, signal)
      return (state) => foundArgument(state, words, from, options)
    })

  const findPromptArgument = ({
    command,
    args,
    words,
    from,
  }: Effect & { kind: "find_prompt_argument" }): Promise<void> =>
    searchLatest(async (signal) => {
      const values = await parts.session.ask({ type: "complete_argument", command, words: args }, signal)
      const options = values.map((text) => ({ text, about: "" }))
      return (state) => (options.length === 0 ? state : foundArgument(state, words, from, options))
    })

  const show = openShowing({
    session: parts.session,
    onEffect,
    editFile,
    shortPath: ports.shortPath,
    isOver: () => closed.signal.aborted,
  })

  return {
    editText,
    act(effect) {
      switch (effect.kind) {
        case "remember":
          return history?.add(effect.line)
        case "use":
          return ports.uses?.add(effect.name)
        case "workflow":
          return ports.workflow?.(effect.words, (text) => {
            if (!closed.signal.aborted) onEffect(note(text))
          })
        case "picture":
          if (!pictures) return
          return void read(effect.name, effect.path, pictures.fromFile(effect.path, closed.signal))
        case "paste":
          if (!pictures) return
          return void read(effect.name, "", pictures.fromClipboard(closed.signal))
        case "edit_prompt":
          return void editPrompt(effect.text)
        case "edit_file":
          return void editFile(effect.path)
        case "find":
          return void find(effect.words, effect.from)
        case "find_prompt_argument":
          return void findPromptArgument(effect)
        case "find_argument":
          return void findArgument(effect.command, effect.words, effect.from)
        default:
          return void show(effect)
      }
    },
    recall: () => recall(ports, change, closed.signal),
    close() {
      finding?.abort()
      closed.abort()
    },
  }
}

const pasted = (state: TuiState, text: string): TuiState => ({
  ...state,
  editor: press(state.editor, { kind: "paste", text }) ?? state.editor,
})

export function offersOf(
  panels: PanelPorts,
  { pictures, editor, background, workflow }: Pick<OutsidePorts, "pictures" | "editor" | "background" | "workflow">,
): ReadonlySet<Offer> {
  return new Set<Offer>([
    ...panelNames.filter((name) => (name === "sessions" ? panels.sessions?.open : panels[name]) !== undefined),
    ...(pictures ? (["pictures"] as const) : []),
    ...(editor ? (["editor"] as const) : []),
    ...(background ? (["background"] as const) : []),
    ...(workflow ? (["workflow"] as const) : []),
  ])
}
