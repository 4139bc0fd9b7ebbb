/** Holds a conversation: the next prompt depends on the answer, and the mode changes on the way. */

import { query, type SDKUserMessage } from "codewright"

const says = (content: string): SDKUserMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
})

let answered: (() => void) | undefined

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield says("What would you change in this folder?")
  await new Promise<void>((done) => (answered = done))
  await conversation.setPermissionMode("acceptEdits")
  yield says("Do the first of these.")
}

const conversation = query({ prompt: prompts() })

for await (const message of conversation) {
  if (message.type !== "result") continue
  if (message.subtype === "success") console.log(message.result)
  answered?.()
}
