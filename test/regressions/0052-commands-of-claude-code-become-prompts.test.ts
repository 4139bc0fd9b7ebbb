/** Words that are commands of Claude Code are answered; they used to be sent to the model. */

import { expect, test } from "bun:test"
import { foreignCommand } from "#faces/cli/flags/foreign-commands.ts"
import { runCodewright } from "../kit/run-codewright.ts"

test.each([
  "update",
  "install",
  "install latest",
  "install 2.1.3",
  "plugin",
  "plugin install review@market",
  "plugin marketplace add acme/plugins",
  "auth login",
  "setup-token",
  "agents",
  "agents --json",
  "attach 3f2a91bc",
  "logs 3f2a91bc",
  "stop 3f2a91bc",
  "rm 3f2a91bc",
  "respawn --all",
  "import ./session.jsonl",
  "migrate-installer",
  "auto-mode defaults",
])("codewright %s is answered", (line) => {
  expect(foreignCommand(line.split(" "))).toStartWith(`codewright ${line.split(" ")[0]} does not exist. `)
})

test.each([
  ["update the readme"],
  ["update", "the", "readme"],
  ["install", "the", "dependencies"],
  ["install eslint"],
  ["stop", "using", "lodash"],
  ["rm", "the", "unused", "imports"],
  ["import", "React", "everywhere"],
  ["plugin", "support"],
  ["agents", "are", "slow"],
  ["update", "-p"],
  ["--", "update"],
  ["-p", "update"],
  ["explain"],
  [],
])("%p stays a prompt", (...argv) => {
  expect(foreignCommand(argv)).toBeUndefined()
})

test("nothing is sent, the answer is on standard error, and a prompt can still be forced", async () => {
  const refused = await runCodewright({ argv: ["update"], scenario: ["Never said."] })
  expect(refused).toMatchObject({ code: 2, stdout: "", requests: [] })
  expect(refused.stderr).toBe(
    "error: codewright update does not exist. Codewright does not update itself. Install the new version the way you installed this one. To send it as a prompt: codewright -- update\n",
  )
  const sent = await runCodewright({ argv: ["-p", "update"], scenario: ["Updated."] })
  expect(sent).toMatchObject({ code: 0, stdout: "Updated.\n" })
})
