/** A hook changed an input that the tool then objected to, and the model read "[object Object]". */

import { expect, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, edit, read, says } from "../kit/script.ts"

const changed = { file_path: "a.txt", old_string: "absent", new_string: "b" }
const answered = (hookSpecificOutput: object): object => ({
  hooks: [{ type: "command", command: `echo '${JSON.stringify({ hookSpecificOutput })}'` }],
})

test.each([
  ["PreToolUse", { updatedInput: changed }],
  ["PermissionRequest", { decision: { behavior: "allow", updatedInput: changed } }],
])(
  "the objection to what a %s hook changed is told in words, and the screen shows its short form",
  async (event, said) => {
    await using t = await openTestSession({
      mode: "default",
      files: { "a.txt": "a\n" },
      script: [calls(read("a.txt")), calls(edit("a.txt", "a", "c")), says("Understood.")],
      hooks: { [event]: [{ matcher: "Edit", ...answered({ hookEventName: event, ...said }) }] },
    })
    await t.prompt("go")
    const { content, display, isError } = t.results().at(-1) ?? {}
    expect({ content, display, isError }).toEqual({
      content: expect.stringContaining("old_string is not in "),
      display: { kind: "text", text: expect.any(String) },
      isError: true,
    })
    expect(JSON.stringify(t.requests())).not.toContain("[object Object]")
    expect(t.read("a.txt")).toBe("a\n")
  },
)
