/** Words that are commands of Claude Code are answered; they used to be sent to the model. */

import { expect, test } from "bun:test"
import { foreignCommand } from "#faces/cli/flags/foreign-commands.ts"
import { runCodewright } from "../kit/run-codewright.ts"

test.each([
  "upgrade",
  "install",
  "install latest",
  "install 2.1.3",
  "plugins",
  "auth login",
  "setup-token",
  "respawn --all",
  "kill 3f2a91bc",
  "daemon status",
  "import ./session.jsonl",
  "migrate-installer",
  "auto-mode defaults",
])("codewright %s is answered", (line) => {
  expect(foreignCommand(line.split(" "))).toStartWith(`codewright ${line.split(" ")[0]} does not exist. `)
})

test.each([
  ["upgrade the readme"],
  ["upgrade", "the", "readme"],
  ["install", "the", "dependencies"],
  ["install eslint"],
  ["import", "React", "everywhere"],
  ["plugin", "support"],
  ["upgrade", "-p"],
  ["--", "upgrade"],
  ["-p", "upgrade"],
  ["explain"],
  [],
])("%p stays a prompt", (...argv) => {
  expect(foreignCommand(argv)).toBeUndefined()
})

test("nothing is sent, the answer is on standard error, and a prompt can still be forced", async () => {
  const refused = await runCodewright({ argv: ["upgrade"], scenario: ["Never said."] })
  expect(refused).toMatchObject({ code: 2, stdout: "", requests: [] })
  expect(refused.stderr).toBe(
    "error: codewright upgrade does not exist. The command is codewright update. To send it as a prompt: codewright -- upgrade\n",
  )
  const sent = await runCodewright({ argv: ["-p", "upgrade"], scenario: ["Updated."] })
  expect(sent).toMatchObject({ code: 0, stdout: "Updated.\n" })
})
