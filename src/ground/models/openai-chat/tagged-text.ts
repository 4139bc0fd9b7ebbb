/**
 * Text of servers that leave the marks of a model in it: thoughts between tags at the very beginning, and calls. A call
 * counts only where nothing else can be meant: it begins a line outside code fences, it is whole, it names tools of the
 * request, and the answer ends with it. Anything else is what it looks like: text.
 */

import type { ToolSpec } from "#agent/words/model.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { openTextLines } from "./text-lines.ts"
import { openThoughtTags } from "./thought-tags.ts"
import { brokenCall, marks, type Mark, mayBeCall, readToEnd, wholeCall, type WrittenCall } from "./written-calls.ts"

export interface TaggedText {
  readonly push: (piece: string, out: AnswerEvent[]) => void
  /** Whatever was held back is told as text: calls came in the way they should. */
  readonly release: (out: AnswerEvent[]) => void
  /** The answer is over: what was held back is told as what it is. */
  readonly end: (how: "whole" | "cut", out: AnswerEvent[]) => void
}

export interface TaggedParts {
  readonly text: (piece: string, out: AnswerEvent[]) => void
  readonly thinking: (piece: string, out: AnswerEvent[]) => void
  /** `json`: its input, which may be malformed; then it is answered with an error. */
  readonly call: (name: string, json: string, out: AnswerEvent[]) => void
  readonly tools: readonly ToolSpec[]
}

/** What servers leave of the end of a turn. */
const turnEnds = ["<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end|>", "</s>"]

type TextStage = "perhaps" | "text" | "call" | "after"

export function openTaggedText({ text, thinking, call, tools }: TaggedParts): TaggedText {
  const thoughts = openThoughtTags(thinking)
  const lines = openTextLines(tools.length === 0 ? [] : marks)
  let stage: TextStage = "perhaps"
  let buffered = ""
  let mark: Mark | undefined
  /** How much of what is buffered was searched for the end of the call. */
  let searched = 0
  /** As written, and what it means: told when the answer ends with it. */
  let pending: { readonly raw: string; readonly calls: readonly WrittenCall[] } = { raw: "", calls: [] }

  const say = (piece: string, out: AnswerEvent[]): void => {
    if (piece !== "") text(piece, out)
  }

  function speak(out: AnswerEvent[]): boolean {
    const found = lines.split(buffered)
    say(buffered.slice(0, found.text), out)
    buffered = buffered.slice(found.text)
    if (!found.mark) return false
    mark = found.mark
    searched = 0
    stage = "call"
    return true
  }

  function readCall(): boolean {
    const found = mark && callIn(buffered, mark, searched, tools)
    searched = buffered.length
    if (!found) return false
    pending = { raw: pending.raw + buffered.slice(0, found.size), calls: [...pending.calls, ...found.calls] }
    buffered = buffered.slice(found.size)
    stage = "after"
    return true
  }

  /** Only more calls may follow. */
  function follow(out: AnswerEvent[]): boolean {
    const rest = withoutEnds(buffered)
    const space = buffered.slice(0, buffered.length - rest.length)
    const next = marks.find(({ open }) => rest.startsWith(open))
    if (next) {
      pending = { ...pending, raw: pending.raw + space }
      buffered = rest
      mark = next
      searched = 0
      stage = "call"
      return true
    }
    if ([...marks.map(({ open }) => open), ...turnEnds].some((each) => each.startsWith(rest))) return false
    // They were text after all.
    say(pending.raw, out)
    lines.skip(pending.raw)
    pending = { raw: "", calls: [] }
    stage = "text"
    return true
  }

  function sayAll(out: AnswerEvent[]): void {
    say(pending.raw + buffered, out)
    pending = { raw: "", calls: [] }
    buffered = ""
    stage = "text"
  }

  function advance(out: AnswerEvent[]): boolean {
    switch (stage) {
      case "perhaps":
        if (tools.length > 0 && mayBeCall(buffered)) return false
        stage = "text"
        return true
      case "text":
        return speak(out)
      case "call":
        return readCall()
      case "after":
        return follow(out)
    }
  }

  /** The calls that the end of the answer is. */
  function last(how: "whole" | "cut"): readonly WrittenCall[] {
    if (stage === "after") return pending.calls
    if (stage === "perhaps" && how === "whole") return wholeCall(buffered, tools) ?? []
    if (stage !== "call" || how === "cut" || !mark) return []
    const written = buffered.slice(mark.open.length)
    const calls = readToEnd(written, mark, tools) ?? brokenCall(written, mark, tools)
    return calls ? [...pending.calls, ...calls] : []
  }

  function push(piece: string, out: AnswerEvent[]): void {
    const rest = thoughts.push(piece, out)
    if (rest === "") return
    if (stage === "text" && buffered === "" && lines.isPlain(rest)) return text(rest, out)
    buffered += rest
    while (advance(out));
  }

  return {
    push,
    release(out) {
      push(thoughts.end(out), out)
      sayAll(out)
    },
    end(how, out) {
      push(thoughts.end(out), out)
      const calls = last(how)
      if (calls.length === 0) return sayAll(out)
      for (const { name, json } of calls) call(name, json, out)
      buffered = ""
      stage = "text"
    },
  }
}

function withoutEnds(text: string): string {
  const rest = text.trimStart()
  const found = turnEnds.find((each) => rest.startsWith(each))
  return found === undefined ? rest : withoutEnds(rest.slice(found.length))
}

/** Up to the first end at which it can be read: the mark may also be part of what is written. */
function callIn(
  buffered: string,
  { open, close, read }: Mark,
  searched: number,
  tools: readonly ToolSpec[],
): { readonly calls: readonly WrittenCall[]; readonly size: number } | undefined {
  if (close === undefined) return undefined
  for (
    let at = buffered.indexOf(close, Math.max(0, searched - close.length));
    at !== -1;
    at = buffered.indexOf(close, at + 1)
  ) {
    const calls = read(buffered.slice(open.length, at), tools)
    if (calls) return { calls, size: at + close.length }
  }
  return undefined
}
