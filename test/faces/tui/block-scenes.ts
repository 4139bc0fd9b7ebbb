/** Scenes of blocks that stand in the conversation besides talk and calls, and of answers that were given. */

import { noUsage } from "#agent/words/model.ts"
import { choice, permission, type Scene } from "./scenes.ts"
import { planQuestion } from "./panel-scenes.ts"

const controlO = "\u000f"
const down = "\u001b[B"

export const blockScenes: { readonly [name: string]: Scene } = {
  async "the transcript with thinking"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    const thinking =
      "First I look at the parser, which is long and was written in a hurry.\nThen at the rest of it all."
    const block = { type: "thinking", thinking, signature: "s" } as const
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "thinking_delta", index: 0, thinking } })
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "block_stop", index: 0 } })
    paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
    await paper.pass(100)
    await paper.type(controlO)
    await paper.pass(100)
  },
  async "the transcript with the output of a call"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    const block = { type: "tool_use", id: "c", name: "Bash", input: { command: "seq 12" } } as const
    paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
    paper.moment({ type: "tool_start", callId: "c", tool: "Bash", title: "Bash seq 12" })
    const output = Array.from({ length: 12 }, (_, i) => `${i + 1}`).join("\n")
    const display = { kind: "terminal", command: "seq 12", output, exitCode: 0 } as const
    paper.entry({ kind: "result", callId: "c", tool: "Bash", content: "", isError: false, durationMs: 1, display })
    await paper.pass(100)
    await paper.type(controlO)
    await paper.pass(100)
  },
  async "a picture that was read, and one that was shown"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const
    const content = [
      { type: "image", source },
      { type: "text", text: "what is on [Image #1]?" },
    ] as const
    paper.entry({ kind: "prompt", promptId: "p", content })
    const block = { type: "tool_use", id: "c", name: "Read", input: {} } as const
    paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
    paper.moment({ type: "tool_start", callId: "c", tool: "Read", title: "Read pictures/door.png" })
    const display = { kind: "image", mediaType: "image/png", bytes: 20_480, path: "pictures/door.png" } as const
    paper.entry({ kind: "result", callId: "c", tool: "Read", content: "", isError: false, durationMs: 1, display })
    await paper.pass(100)
  },
  async "commands of the person's own"(paper) {
    const output = Array.from({ length: 30 }, (_, i) => `file-${i}.txt`).join("\n")
    paper.entry({ kind: "shell", command: "ls", output, exitCode: 0 })
    paper.entry({ kind: "shell", command: "git push", output: "rejected\n", exitCode: 1 })
    paper.entry({ kind: "shell", command: "true", output: "", exitCode: 0 })
    await paper.type("!make")
    await paper.pass(100)
  },
  async "a command of the person's own that runs"(paper) {
    paper.moment({ type: "chore", name: "shell", running: true })
    await paper.pass(100)
  },
  async "a compaction while it works"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    paper.moment({ type: "chore", name: "compact", running: true })
    await paper.pass(3_000)
  },
  async "a conversation that goes back, forth, and is made smaller"(paper) {
    const files = { from: "a", to: "b", written: ["x.ts", "y.ts"], removed: ["z.ts"], kept: ["mine.ts"] }
    paper.entry({ kind: "head", to: "u", why: "rewind", files })
    paper.entry({ kind: "head", to: "u", why: "redo", files: { ...files, removed: [], kept: [] } })
    paper.entry({ kind: "head", to: null, why: "clear" })
    paper.entry({ kind: "head", to: "u", why: "switch" })
    const sizes = { preTokens: 171_200, postTokens: 9_400, summary: "", messages: [], standing: [] }
    paper.entry({ kind: "compaction", trigger: "auto", by: "model", ...sizes })
    paper.entry({ kind: "compaction", trigger: "manual", by: "extract", ...sizes })
    paper.entry({ kind: "head", to: "u", why: "uncompact" })
    paper.entry({ kind: "shrink", rung: "media", why: "the provider takes at most 100 pictures." })
    await paper.pass(100)
  },
  async "what was answered"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    const answers = [
      [permission, { kind: "deny", words: "use the trash", interrupt: false }],
      [permission, { kind: "deny", interrupt: true }],
      [choice(false), { kind: "choices", answers: { a: "Postgres", b: "here, but not today" } }],
      [planQuestion, { kind: "approve", mode: "acceptEdits", wishes: [] }],
      [choice(false), { kind: "unanswered", why: "the person closed the question" }],
    ] as const
    for (const [i, [{ ask }, answer]] of answers.entries()) {
      paper.entry({ kind: "question", question: { id: `a${i}`, key: `a${i}`, digest: `a${i}`, ask } })
      paper.entry({ kind: "answer", questionId: `a${i}`, answer })
    }
    await paper.pass(100)
  },
  async "a choice answered with words"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    paper.ask(choice(false))
    await paper.pass(400)
    await paper.type(`${down}${down}\r`)
    await paper.type("a folder of text files, please")
  },
  async "the second of two questions"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    paper.ask(choice(false))
    await paper.pass(400)
    await paper.type("1")
    await paper.pass(400)
  },
  async "an answer that was cut off"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text: "Half of it" } })
    const block = { type: "tool_use", id: "c", name: "Bash", input: {} } as const
    paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
    paper.entry({ kind: "orphan", messageId: "m", why: "the connection broke" })
    await paper.pass(100)
  },
  async "an answer that broke off after a call"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    const block = { type: "tool_use", id: "c", name: "Bash", input: { command: "make" } } as const
    paper.entry({ kind: "reply", messageId: "m", model: "m", block, usage: noUsage })
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 1, text: "While it" } })
    const end = { messageId: "m", model: "m", stopReason: null, usage: noUsage, durationMs: 1 } as const
    paper.entry({ kind: "reply_end", cut: "broken", ...end })
    paper.entry({ kind: "result", callId: "c", tool: "Bash", content: "made", isError: false, durationMs: 1 })
    await paper.pass(100)
  },
  async "code while it comes"(paper) {
    paper.entry({ kind: "turn_start", turnId: "t" })
    const text = "So it goes:\n\n```ts\nexport function half(of: number): number {\n  // the ha"
    paper.moment({ type: "model_delta", messageId: "m", delta: { type: "text_delta", index: 0, text } })
    await paper.pass(100)
  },
  async "a search through what was said"(paper) {
    paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "mend the parser" }] })
    await paper.type("mend the parser\r")
    await paper.type("\u0012pars")
    await paper.pass(100)
  },
}
