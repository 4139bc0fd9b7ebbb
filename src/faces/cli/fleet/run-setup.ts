/** Runs the setup command of a repository in the sandbox: with its own folder, the hosts it may reach, and nothing of ours. */

import { failed, ok, type Result } from "#lib/result.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import type { RunSetup, Setup } from "#fleet/work/environments.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { sandboxHere } from "#faces/cli/permissions/sandbox-here.ts"
import { readSetting } from "#faces/cli/startup-context.ts"

export interface SetupParts {
  readonly env: RawEnvironment
  readonly processes: Pick<Processes, "feed">
  /** Files that nothing it starts may read. */
  readonly secretFiles: readonly string[]
  readonly signal: AbortSignal
  /** A program and its arguments that starts it. */
  readonly launcher?: readonly string[] | undefined
}

/** No variable of the worker is passed on but these. */
const passed = ["PATH", "HOME", "LANG", "LC_ALL", "TZ"]
const mostOutput = 10_000_000
const shownLines = 12

export const openRunSetup =
  (parts: SetupParts): RunSetup =>
  async (setup) => {
    const none = parseArguments<FlagName>([], flags)
    if (!none.ok) return failed(none.failure.message)
    const setting = await readSetting(none.value, setup.cwd, "declined", parts.env)
    if (!setting.ok) return failed(setting.failure.message)
    const { loaded } = setting.value
    const own = {
      source: "command line" as const,
      file: "server.environments",
      base: setup.cwd,
      value: {
        filesystem: { denyRead: [...parts.secretFiles, `${setting.value.state}/settings.json`] },
        network: { allowedDomains: setup.hosts },
      },
    }
    await using here = sandboxHere(
      { ...setting.value, loaded: { ...loaded, sandbox: [own, ...loaded.sandbox] } },
      { canAsk: false },
    )
    return await runConfined(here, setup, parts)
  }

async function runConfined(
  { sandbox, policies }: Pick<ReturnType<typeof sandboxHere>, "sandbox" | "policies">,
  { command, cwd, timeoutMs }: Setup,
  { env, processes, signal, launcher = [] }: SetupParts,
): Promise<Result<void, string>> {
  const check = await sandbox.check()
  if (!check.works) return failed(`the sandbox does not work here: ${check.why}. ${check.fix}`)
  const { workspace } = await policies.now()
  const kept = Object.fromEntries(passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
  const program = { file: "/bin/sh", argv: ["-c", command], cwd, env: kept }
  const end = policies.begin(workspace)
  const wrapped = await sandbox.wrap({
    program,
    policy: { ...workspace, credentials: [] },
    needed: { reads: [], writes: [] },
  })
  if (!wrapped.ok) return failed(`it could not be confined: ${wrapped.failure.why}. ${wrapped.failure.fix}`)
  try {
    const { file, argv } = wrapped.value.program
    const [first = file, ...words] = [...launcher, file, ...argv]
    const fed = processes.feed({
      ...wrapped.value.program,
      file: first,
      argv: words,
      input: "",
      timeoutMs,
      signal,
      mostBytes: mostOutput,
    })
    if (!fed.ok) return failed("it could not be started.")
    const ended = await fed.value.ended
    if (ended.end === "exited" && ended.exitCode === 0) return ok(undefined)
    return failed(`${endWords(ended.end, ended.exitCode, timeoutMs)}${lastLines(ended.stdout, ended.stderr)}`)
  } finally {
    wrapped.value.finish()
    await end()
  }
}

function endWords(end: "exited" | "timed_out" | "aborted", code: number | null, timeoutMs: number): string {
  switch (end) {
    case "timed_out":
      return `it took longer than ${Math.round(timeoutMs / 60_000)} minutes.`
    case "aborted":
      return "the worker stopped meanwhile."
    case "exited":
      return code === null ? "a signal ended it." : `it ended with code ${code}.`
  }
}

function lastLines(...outputs: readonly Uint8Array[]): string {
  const text = outputs.map((bytes) => new TextDecoder().decode(bytes).trim()).filter((each) => each !== "")
  const lines = text.join("\n").split("\n").slice(-shownLines)
  return lines.join("") === "" ? "" : `\n${lines.join("\n")}`
}
