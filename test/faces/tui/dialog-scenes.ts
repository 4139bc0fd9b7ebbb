/** Questions that other scenes do not have: each asked as a session asks it. */

import { runs, reads, reaches } from "#agent/words/footprint.ts"
import type { Question, QuestionAsk } from "#agent/words/question.ts"
import type { Scene } from "./scenes.ts"
import { permission } from "./scenes.ts"

const everywhere = ["session", "local settings", "project settings", "user settings"] as const

const asked = (id: string, ask: QuestionAsk): Question => ({ id, key: id, digest: id, ask })

const ask = { behavior: "ask", reason: { kind: "default" }, message: "It asks.", trace: [] } as const

const commit = `git commit -m "$(cat <<'EOF'\nAdd the greeting\n\nIt is HTML now.\nEOF\n)"`

const commitQuestion = asked("d1", {
  kind: "permission",
  callId: "c",
  tool: "Bash",
  title: `Bash ${commit}`,
  question: "Run this command?",
  input: { command: commit },
  footprint: runs(commit),
  decision: ask,
  why: "`git commit` changes the repository.",
  suggestedRule: "Bash(git commit:*)",
  destinations: everywhere,
})

const readQuestion = asked("d2", {
  kind: "permission",
  callId: "c",
  tool: "Read",
  title: "Read /etc/passwd",
  question: "Read a file outside this folder?",
  input: { file_path: "/etc/passwd" },
  footprint: reads("/etc/passwd"),
  decision: ask,
  suggestedRule: "Read(//etc/passwd)",
  destinations: everywhere,
})

const leavingQuestion = asked("d3", {
  kind: "permission",
  callId: "c",
  tool: "Bash",
  title: "Bash outside the sandbox: make install",
  question: "Run this command outside the sandbox?",
  input: { command: "make install", dangerouslyDisableSandbox: true },
  footprint: runs("make install"),
  decision: { ...ask, reason: { kind: "outside_sandbox" } },
  risks: ["Outside the sandbox it can change any file and reach any host"],
})

const hostQuestion = asked("d4", {
  kind: "permission",
  callId: "c",
  tool: "Bash",
  title: "Connect to registry.npmjs.org",
  question: "Connect to registry.npmjs.org?",
  input: { command: "npm ci" },
  footprint: reaches("https://registry.npmjs.org/"),
  decision: ask,
  why: "This command runs in the sandbox, and no rule allows this host yet.",
  suggestedRule: "WebFetch(domain:registry.npmjs.org)",
  destinations: everywhere,
})

const formQuestion = asked("d5", {
  kind: "elicitation",
  callId: "c",
  server: "tracker",
  message: "Which project is this about?",
  schema: { type: "object", properties: { name: { type: "string", title: "Project" } }, required: ["name"] },
})

const homeQuestion = asked("d6", {
  kind: "permission",
  callId: "c",
  tool: "Bash",
  title: "Bash rm -rf ~",
  question: "Run this command?",
  input: { command: "rm -rf ~" },
  footprint: runs("rm -rf ~"),
  decision: ask,
  alarm: "Removes /home/ada and everything in it.",
  risks: ["Removes /home/ada and everything in it.", "Removes whole folders (41 files); cannot be undone."],
})

const shows =
  (question: Question, ...keys: readonly string[]): Scene =>
  async (paper) => {
    paper.ask(question)
    await paper.pass(400)
    for (const key of keys) await paper.type(key)
  }

export const dialogScenes: { readonly [name: string]: Scene } = {
  "a question about a command of several lines": shows(commitQuestion),
  "a question about a command, saved elsewhere": shows(commitQuestion, "\u001b[B", "\u001b[C"),
  "a question about a file outside": shows(readQuestion),
  "a question about a file outside, its rule": shows(readQuestion, "\u001b[B", "\u0005"),
  "a question about leaving the sandbox": shows(leavingQuestion),
  "a question about a host": shows(hostQuestion),
  "a question of a server": shows(formQuestion, "website"),
  "a question of an agent": shows({ ...commitQuestion, agent: { id: "a1", type: "general-purpose" } }),
  "a question with the worst": shows(homeQuestion),
  "a question while something else is typed": shows(permission, "please check my pyproject"),
}
