/** Questions about edits, shown as diffs in the connected editor: saving one there says yes, rejecting it no. */

import { basename } from "node:path"
import type { Event } from "#agent/words/event.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { declined, declinedMember, type PermissionAsk } from "#faces/view/consent.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import { deferred } from "#lib/deferred.ts"
import { hunksOf } from "#lib/diff.ts"
import type { SessionPort } from "#session/port/session.ts"
import { diffSign, type EditorLink } from "./editor-link.ts"
import { inputWriting, isSameText, proposedText } from "./proposed-text.ts"

export interface EditorDiffs {
  readonly onEvent: (event: Event) => void
  /** Shows one that was open before the editor was connected. */
  readonly show: (question: Question) => void
}

export interface DiffParts extends Pick<EditorLink, "ask" | "call"> {
  readonly session: Pick<SessionPort, "submit">
  readonly isConnected: () => boolean
  /** The user should know, although nothing is asked. */
  readonly say: (text: string) => void
}

export function openEditorDiffs({ session, call, ask: askEditor, isConnected, say }: DiffParts): EditorDiffs {
  const open = new Map<string, AbortController>()
  const running = new Map<string, () => void>()

  /** Whether the editor is still there. */
  const closeTab = async (tab: string): Promise<boolean> => (await askEditor("close_tab", { tab_name: tab })).ok

  async function show(question: Question): Promise<void> {
    const { id: questionId, digest, ask, agent } = question
    if (open.has(questionId) || !isConnected()) return
    const over = new AbortController()
    open.set(questionId, over)
    const proposal = await proposalOf(ask)
    const tab = proposal && tabName(proposal.path, questionId)
    if (proposal && tab !== undefined && !over.signal.aborted) {
      const answer = await answerIn(proposal, tab, over.signal)
      if (answer === undefined) await closeTab(tab)
      else if (answer.kind === "allow") {
        // The editor reads the file again when the tab is closed, so it must be written by then.
        const written = agent ? undefined : resultOf(ask.callId)
        await session.submit({ type: "answer", questionId, digest, answer })
        await written
        await closeTab(tab)
      } else if (await closeTab(tab)) {
        // An editor that quits rejects what is open. Then it does not close tabs anymore, and the question stays.
        await session.submit({ type: "answer", questionId, digest, answer: agent ? declinedMember : declined })
      }
    }
    open.delete(questionId)
  }

  /** Undefined if the editor did not decide: the question was answered elsewhere, or the tab was only closed. */
  async function answerIn(
    { path, before, after, ask }: Proposal,
    tab: string,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const input = { old_file_path: path, new_file_path: path, new_file_contents: after, tab_name: tab }
    const shown = await call("openDiff", input, signal)
    if (signal.aborted || !shown.ok) return undefined
    const [outcome, text] = shown.value
    if (outcome === "DIFF_REJECTED") return declined
    if (outcome !== "FILE_SAVED") return undefined
    if (text === undefined || isSameText(text, after)) return { kind: "allow" }
    const updatedInput = inputWriting(ask.tool, ask.input, before, text)
    if (updatedInput === "unchanged") return declined
    if (updatedInput !== undefined) return { kind: "allow", updatedInput }
    say(`The change made in the editor cannot be applied to ${basename(path)}. Answer the question here.`)
    return undefined
  }

  function resultOf(callId: string): Promise<void> {
    const written = deferred<void>()
    running.set(callId, written.resolve)
    return written.promise
  }

  function settle(callId: string): void {
    running.get(callId)?.()
    running.delete(callId)
  }

  return {
    show: (question) => void show(question).catch(ignore),
    onEvent(event) {
      if (event.type === "question_open") void show(event.question).catch(ignore)
      if (event.type === "question_close") open.get(event.questionId)?.abort()
      if (event.type !== "entry") return
      if (event.entry.kind === "result") settle(event.entry.callId)
      if (event.entry.kind === "turn_end") for (const callId of running.keys()) settle(callId)
    },
  }
}

/** A session that is gone answers nothing, and its end is told elsewhere. */
const ignore = (): void => {}

interface Proposal {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly ask: PermissionAsk
}

/**
 * Only what the diff shows whole. A question with a warning (a protected file, a risk, a review), or about more than one
 * file, is answered in the terminal, where that can be seen.
 */
async function proposalOf(ask: Question["ask"]): Promise<Proposal | undefined> {
  if (ask.kind !== "permission" || ask.display?.kind !== "diff") return undefined
  const { alarm, risks = [], decision } = ask
  if (alarm !== undefined || risks.length > 0 || decision.reason.kind === "tool_check") return undefined
  const { path, created, hunks } = ask.display
  const before = created ? "" : textFiles.read(path)?.text
  const after = before === undefined ? undefined : proposedText(ask.tool, ask.input, before)
  if (before === undefined || after === undefined) return undefined
  // The file may have changed since the question was asked.
  const isShown = JSON.stringify(await hunksOf(before, after)) === JSON.stringify(hunks)
  return isShown ? { path, before, after, ask } : undefined
}

/** Editors tell tabs of this kind apart by the two signs, and one tab from another by the whole name. */
const tabName = (path: string, questionId: string): string =>
  `✻ [Codewright] ${basename(path)} (${questionId.slice(-6)}) ${diffSign}`
