/** Which commands are confined, and why. */

import { expect, test } from "bun:test"
import { type CommandFacts, confinementOf } from "#kits/sandbox/confinement.ts"

const plain = (...lines: readonly string[]) => lines.map((line) => ({ words: line.split(" "), isPlain: true }))
const facts = (rest: Partial<CommandFacts>): CommandFacts => ({
  enabled: true,
  mode: "default",
  onlyReads: false,
  parts: plain("make"),
  excluded: ["docker *", "git push", "kubectl", "npm run:*", "*"].map((text) => ({ text, file: "~/settings.json" })),
  ...rest,
})

test.each<[string, Partial<CommandFacts>, string]>([
  ["on", {}, "workspace: the sandbox is on"],
  ["off", { enabled: false }, "outside: the sandbox is off (sandbox.enabled)"],
  ["a reader, though it is off", { enabled: false, onlyReads: true }, "reader: the command only reads"],
  ["a reader, though it is excluded", { onlyReads: true, parts: plain("docker ps") }, "reader: the command only reads"],
  ["plan mode", { mode: "plan", enabled: false }, "reader: plan mode only reads"],
  ["a prefix", { parts: plain("docker ps -a") }, 'outside: "docker *" of sandbox.excludedCommands in ~/settings.json'],
  ["a prefix and nothing more", { parts: plain("docker") }, 'outside: "docker *"'],
  ["a prefix with a colon", { parts: plain("npm run dev") }, 'outside: "npm run:*"'],
  ["not half a word", { parts: plain("docker-compose up") }, "workspace"],
  ["exactly", { parts: plain("git push") }, 'outside: "git push"'],
  ["not more than exactly", { parts: plain("git push --force") }, "workspace"],
  ["one word with arguments", { parts: plain("kubectl get pods") }, 'outside: "kubectl"'],
  ["each of a line", { parts: plain("docker ps", "git push") }, 'outside: "git push"'],
  ["not each of a line", { parts: plain("docker ps", "rm -rf x") }, "workspace"],
  ["a star alone excludes nothing", { parts: plain("rm x") }, "workspace"],
  ["a word nobody knows", { parts: [{ words: ["docker", "$x"], isPlain: false }] }, "workspace"],
  ["a line nobody understands", { parts: undefined }, "workspace"],
  ["no command at all", { parts: [] }, "workspace"],
])("%s", (_, rest, says) => {
  const { confined, policy, because } = confinementOf(facts(rest))
  expect(confined).toBe(policy !== undefined)
  expect(`${policy ?? "outside"}: ${because}`).toStartWith(says)
})
