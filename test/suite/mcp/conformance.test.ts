/**
 * The official conformance suite, client side, against our own parts (`test/kit/mcp/conformance-client.ts`). By day one scenario
 * of each subject; at night all that the installed suite has, in the newest revision it knows for each.
 * `CODEWRIGHT_CONFORMANCE` names another version of the suite (its `dist/index.js`).
 */

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { type TemporaryFolder, temporaryFolder } from "../../kit/tmp.ts"
import { isNight } from "../../kit/runs.ts"

// Each scenario is two programs; a busy machine is no failure.
setDefaultTimeout(300_000)

const modules = join(import.meta.dir, "../../../node_modules")
const installed =
  process.env["CODEWRIGHT_CONFORMANCE"] ?? join(modules, "@modelcontextprotocol/conformance/dist/index.js")
const source = join(import.meta.dir, "../../kit/mcp/conformance-client.ts")
const built = isNight ? undefined : temporaryFolder()
afterAll(() => built?.[Symbol.dispose]())
const [suite, clientFile] = built
  ? await Promise.all([inOne(installed, built), inOne(source, built)])
  : [installed, source]
const client = `${process.execPath} ${clientFile}`

/** By day as one file with all that it imports: each of both starts a dozen times, and reads hundreds of files at each start otherwise. */
async function inOne(file: string, folder: TemporaryFolder): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [file], outdir: folder.path, target: "bun", minify: true })
  return outputs[0]?.path ?? file
}

async function run(...argv: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  using folder = temporaryFolder()
  // It reads a large schema once, which its quickest code would take longer to compile than to run.
  const env = { ...process.env, BUN_JSC_useDFGJIT: "0" }
  const child = Bun.spawn([process.execPath, suite, ...argv], { cwd: folder.path, env, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output: out + err }
}

const skills = "sep-2640-"
/** Logins without a user, of machines and enterprises, which we do not offer. */
const left = (name: string, revisions: string): boolean =>
  (revisions.includes("extension") && !name.startsWith(skills)) || name === "auth/dpop"

const byDay: readonly string[] = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "auth/basic-cimd",
  "auth/scope-step-up",
  "auth/pre-registration",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-custom-headers",
  "auth/iss-wrong-issuer",
  `${skills}client-no-prefetch`,
  `${skills}client-verify-digest`,
]

const listed = (await run("list", "--client")).output
const scenarios = [...listed.matchAll(/^ {2}- (\S+) \[([^\]]+)\]$/gm)]
  .map(([, name = "", revisions = ""]) => ({ name, revisions }))
  .filter(({ name, revisions }) => !left(name, revisions))

describe("conformance", () => {
  test("the suite lists its scenarios", () => expect(scenarios.length).toBeGreaterThan(15))
  for (const { name, revisions } of scenarios.filter((one) => isNight || byDay.includes(one.name)))
    test.concurrent(name, async () => {
      const newest = revisions.includes("2026-07-28") ? ["--spec-version", "2026-07-28"] : []
      const { code, output } = await run("client", "--command", client, "--scenario", name, ...newest)
      expect(output).toContain("OVERALL: PASSED")
      // A client that does not know skills is let pass as well.
      if (name.startsWith(skills)) expect(output).not.toContain("SKIPPED")
      expect(code).toBe(0)
    })
})
