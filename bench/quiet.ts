/**
 * What wakes the program up in the minute after a turn, on a screen? Counted as the sleeps of its threads. `--peers` counts
 * two other agents as well.
 */

import { parseArgs } from "node:util"
import { claudeCode } from "./field/peers/claude-code.ts"
import { codex } from "./field/peers/codex.ts"
import { says } from "./kit/answers.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { openPty } from "./kit/pty.ts"
import { type InTerminal, peerWakeUps } from "./kit/quiet-peer.ts"
import { answer, rowOf } from "./kit/row.ts"

const seconds = 60
const { values } = parseArgs({ options: { peers: { type: "boolean" }, rows: { type: "boolean" } } })

const inTerminals: readonly InTerminal[] = [
  {
    peer: codex,
    argv: (situation) => [
      "--dangerously-bypass-approvals-and-sandbox",
      // The same without what only its headless command knows.
      ...codex.work("", situation).filter((word) => !headlessWords.has(word)),
    ],
    settings: (work) => ({
      path: ".codex/config.toml",
      text: `check_for_update_on_startup = false\n[projects."${work}"]\ntrust_level = "trusted"\n`,
    }),
  },
  {
    peer: claudeCode,
    argv: () => ["--model", "claude-opus-4-5"],
    settings: (work) => ({
      path: ".claude.json",
      text: JSON.stringify({
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: ["none"], rejected: [] },
        projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
  },
]
const headlessWords: ReadonlySet<string> = new Set([
  "",
  "exec",
  "--json",
  "--skip-git-repo-check",
  "--dangerously-bypass-approvals-and-sandbox",
])

const place = makePlace({ files: 20 })
const server = openModelServer({ bodies: "dropped", answer: () => [says("Done, at the very end.")] })
const pty = openPty({ place, url: server.url })
await pty.shown("Ask anything")
pty.type("say it\r")
await pty.shown("at the very end")
await Bun.sleep(1_000)
const first = await pty.wakeUps(seconds)
const second = await pty.wakeUps(seconds)
await pty.end()
server.close()
place.remove()

answer(
  rowOf({ what: `wake-ups in ${seconds} s, right after a turn`, ours: first, unit: "" }),
  rowOf({ what: `wake-ups in the next ${seconds} s`, ours: second, unit: "", toReach: 20 }),
)
for (const one of values.peers ? inTerminals : []) {
  const [soon, later] = await peerWakeUps(one, seconds)
  answer(
    rowOf({ what: `${one.peer.title}: wake-ups in ${seconds} s, right after a turn`, ours: soon, unit: "" }),
    rowOf({ what: `${one.peer.title}: wake-ups in the next ${seconds} s`, ours: later, unit: "" }),
  )
}
