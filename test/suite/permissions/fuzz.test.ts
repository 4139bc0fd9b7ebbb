import { expect, test } from "bun:test"
import { resolve } from "node:path"

const mutations = process.env["CODEWRIGHT_MUTATIONS"] ?? "200"
/** Each is judged in a repository on disk, and run inside a sandbox that is watched: fewer of them where nobody asks for more. */
const inWorlds = process.env["CODEWRIGHT_MUTATIONS"] ?? "40"
/** A hundred thousand take minutes, a million hours. */
const timeoutMs = Math.max(600_000, Number(inWorlds) * 60)
const root = resolve(import.meta.dir, "../../..")

/** Runs a fuzzer to its end; it exits with 1 where something happened, and says what. */
async function fuzzed(program: string, count: string): Promise<string> {
  const fuzz = Bun.spawn([process.execPath, program, count, "7"], { cwd: root, stdout: "pipe", stderr: "pipe" })
  const [said, complained, code] = await Promise.all([fuzz.stdout.text(), fuzz.stderr.text(), fuzz.exited])
  expect({ code, said: code === 0 ? "" : said, complained }).toEqual({ code: 0, said: "", complained: "" })
  return said
}

test.skipIf(!Bun.which("bwrap"))(
  `${mutations} mutated commands: what is judged read-only changes nothing when it is run`,
  async () => expect(await fuzzed("test/fuzz/shell.ts", mutations)).toContain("0 changed something"),
  600_000,
)

test.skipIf(!Bun.which("bwrap") || !Bun.which("strace"))(
  `${inWorlds} mutated commands in hostile repositories: nothing comes of what runs unasked`,
  async () => expect(await fuzzed("test/fuzz/worlds.ts", inWorlds)).toContain("0 did something"),
  timeoutMs,
)
