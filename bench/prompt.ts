/** How much does the model read before the first word of the person: system prompt, tools, and what is added to the prompt? */

import { runAgent } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { readBody, textOf } from "./kit/request-body.ts"
import { answer, rowOf } from "./kit/row.ts"

const { exchanges } = await runAgent({ answers: [[says("Done.")]], bodies: "kept" })
const { system, tools, messages } = readBody(exchanges[0]?.body ?? "{}")
const toolChars = JSON.stringify(tools).length
const systemChars = system.reduce((sum, part) => sum + textOf(part).length, 0)
const extras = messages.flatMap(({ content }) => content.map(textOf)).join("").length - "go on".length

answer(
  rowOf({
    what: "default prompt, characters",
    ours: systemChars + toolChars + extras,
    unit: "",
    toReach: 28_000,
    note: `system ${systemChars}, ${tools.length} tools ${toolChars}, first message ${extras}`,
  }),
)
