/** The blocks of an answer that a format does not number itself: each piece belongs to the block of its kind. */

import type { Proof } from "#agent/words/message.ts"
import type { AdmittedIds } from "./admitted-ids.ts"
import type { AnswerEvent } from "./attempt.ts"

export interface AnswerBlocks {
  /** Held back until there is content, so that an attempt that breaks earlier leaves no trace. Only the first counts. */
  readonly begin: (start: Extract<AnswerEvent, { readonly type: "message_start" }>) => void
  readonly hasBegun: () => boolean
  readonly text: (piece: string, out: AnswerEvent[]) => void
  readonly thinking: (piece: string, out: AnswerEvent[]) => void
  /** For the thinking that is open; a block of its own where there is none. */
  readonly proof: (proof: Proof, out: AnswerEvent[]) => void
  /** For the text that is open. */
  readonly textProof: (proof: Proof, out: AnswerEvent[]) => void
  /** Ends the text or thinking that is open: what follows is a block of its own. */
  readonly close: (out: AnswerEvent[]) => void
  /** A block that only its provider understands. */
  readonly hidden: (proof: Proof, out: AnswerEvent[]) => void
  /** Opens a call, which stays open beside others; returns its index. */
  readonly openCall: (id: unknown, name: string, out: AnswerEvent[], proof?: Proof) => number
  readonly input: (index: number, json: string, out: AnswerEvent[]) => void
  readonly stop: (index: number, out: AnswerEvent[]) => void
  /** Ends whatever is open, and begins the answer if nothing did. */
  readonly end: (out: AnswerEvent[]) => void
}

export function openAnswerBlocks(toolIds: AdmittedIds): AnswerBlocks {
  let start: AnswerEvent | undefined
  let begun = false
  let count = 0
  /** Text or thinking: there is one at a time. */
  let open: { readonly kind: "text" | "thinking"; readonly index: number } | undefined
  const calls = new Set<number>()

  const release = (out: AnswerEvent[]): void => {
    if (start) out.push(start)
    start = undefined
  }
  const close = (out: AnswerEvent[]): void => {
    if (open) out.push({ type: "block_stop", index: open.index })
    open = undefined
  }
  function into(kind: "text" | "thinking", out: AnswerEvent[]): number {
    release(out)
    if (open?.kind === kind) return open.index
    close(out)
    const index = count++
    open = { kind, index }
    const block = kind === "text" ? { type: kind, text: "" } : { type: kind, thinking: "" }
    out.push({ type: "block_start", index, block })
    return index
  }
  const stop = (index: number, out: AnswerEvent[]): void => {
    if (calls.delete(index)) out.push({ type: "block_stop", index })
  }

  return {
    begin(message) {
      if (!begun) start = message
      begun = true
    },
    hasBegun: () => begun,
    text: (text, out) => void out.push({ type: "text_delta", index: into("text", out), text }),
    thinking: (thinking, out) => void out.push({ type: "thinking_delta", index: into("thinking", out), thinking }),
    proof: (proof, out) => void out.push({ type: "proof_delta", index: into("thinking", out), proof }),
    textProof: (proof, out) => void out.push({ type: "proof_delta", index: into("text", out), proof }),
    close,
    hidden(proof, out) {
      release(out)
      close(out)
      const index = count++
      out.push(
        { type: "block_start", index, block: { type: "redacted_thinking", proof } },
        { type: "block_stop", index },
      )
    },
    openCall(id, name, out, proof) {
      release(out)
      close(out)
      const index = count++
      calls.add(index)
      const block = { type: "tool_use" as const, id: toolIds.admit(id), name, input: {}, ...(proof && { proof }) }
      out.push({ type: "block_start", index, block })
      return index
    },
    input: (index, json, out) => void out.push({ type: "input_delta", index, json }),
    stop,
    end(out) {
      release(out)
      close(out)
      for (const index of calls) stop(index, out)
    },
  }
}
