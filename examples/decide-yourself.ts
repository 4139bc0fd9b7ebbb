/** Decides about each call that no rule covers, and watches every command before it runs. */

import { type CanUseTool, type HookCallback, query } from "codewright"

const onlyNotes: CanUseTool = async (tool, input) =>
  tool === "Write" && String(input.file_path).endsWith("notes.md")
    ? { behavior: "allow" }
    : { behavior: "deny", message: "Only notes.md may be written." }

const watch: HookCallback = async (input) => {
  console.log(`about to call ${String(input.tool_name)}`)
  return {}
}

const [task = "Write a short notes.md about this folder."] = process.argv.slice(2)
const options = { canUseTool: onlyNotes, hooks: { PreToolUse: [{ hooks: [watch] }] } }

for await (const message of query({ prompt: task, options }))
  if (message.type === "result")
    console.log(`${message.subtype}, ${message.permission_denials.length} calls denied`)
