/** A session on a repository of another user failed in five lines of git, which advised whoever read them, and not the user that runs the worker. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { openSources } from "#ground/workspace/source/sources.ts"
import { temporaryFolder } from "../kit/tmp.ts"

// Only root can give files away.
test.skipIf(process.getuid?.() !== 0)(
  "the error says whose it must be, or what the worker's user has to allow",
  async () => {
    using folder = temporaryFolder()
    const source = folder.join("source")
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path }
    const sh = (command: string): string => Bun.spawnSync(["bash", "-ec", command], { env }).stdout.toString()
    sh(
      `git init -qb main ${source} && cd ${source} && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m base && chown -R 65534 .`,
    )
    const processes = openProcesses({
      clock: systemClock,
      ids: systemIds,
      scratch: folder.join("scratch"),
      graceMs: 500,
      drainMs: 100,
    })
    const sources = openSources({ processes, env: () => env, cache: folder.join("cache"), clock: systemClock })
    const url = `file://${source}`
    const refused = await sources.resolve(url, undefined)
    const fix = `git config --global --add safe.directory '${source}/.git'`
    expect(refused).toEqual({
      ok: false,
      failure: `The repository ${url} cannot be fetched: ${source}/.git belongs to another user than the one that runs the worker, so git does not read it. Make it theirs, or run as the worker's user: ${fix}`,
    })
    sh(fix)
    expect((await sources.resolve(url, undefined)).ok).toBe(true)
    await processes.close()
  },
)
