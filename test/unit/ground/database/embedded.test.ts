import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { databaseFailureWords } from "#ground/database/failure.ts"
import { openDatabase } from "#ground/database/open.ts"
import { databaseConformance } from "../../../kit/database/conformance.ts"
import { embeddedIn, opened, ports } from "../../../kit/database/databases.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

describe("the embedded database", () => {
  const folder = temporaryFolder()
  let database: Database
  let names = 0
  beforeAll(async () => void (database = await opened(await embeddedIn(folder))), 120_000)
  afterAll(async () => {
    await database.close()
    folder[Symbol.dispose]()
  })

  databaseConformance(
    async () => database,
    () => `t${names++}`,
  )

  test("is closed to other users, also in a folder that is not", async () => {
    using open = temporaryFolder()
    mkdirSync(open.join("database"), { mode: 0o755 })
    writeFileSync(open.join("database", "lock.db"), "", { mode: 0o644 })
    await (await opened(await embeddedIn(open))).close()
    chmodSync(open.join("database", "data"), 0o755)
    const other = await opened(await embeddedIn(open))
    const modes = ["lock.db", "owner", "data"].map((name) => statSync(open.join("database", name)).mode & 0o777)
    await other.close()
    expect(modes.map((mode) => mode.toString(8))).toEqual(["600", "600", "700"])
  })

  test("belongs to one process, and who else wants it is told whose it is", async () => {
    const again = await openDatabase(await embeddedIn(folder), ports)
    const failure = again.ok ? undefined : again.failure
    expect(failure).toEqual({ kind: "in_use", folder: folder.join("database"), pid: process.pid })
    expect(failure && databaseFailureWords(failure)).toBe(
      `The database in ${folder.join("database")} is in use by process ${process.pid}. Stop that process first, or use --database postgres://… to share one.`,
    )
  })
})

test("what was committed survives a kill, and the folder is free again", async () => {
  using folder = temporaryFolder()
  const place = await embeddedIn(folder)
  const writer = Bun.spawn([process.execPath, join(import.meta.dir, "../../../kit/database/writer.ts"), folder.path], {
    stdout: "pipe",
    stderr: "inherit",
  })
  let said = ""
  for await (const chunk of writer.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.split("\n").length > 40) break
  }
  writer.kill("SIGKILL")
  await writer.exited
  const last = Number(said.split("\n").at(-2))
  const database = await opened(place)
  const found = await database.rows<{ x: number }>("select x from counted order by x")
  expect(found.length).toBeGreaterThanOrEqual(last)
  expect(found.map(({ x }) => x)).toEqual(found.map((_, i) => i + 1))
  await database.close()
}, 300_000)

test("a folder that cannot be made is named", async () => {
  const place = { kind: "embedded", folder: "/dev/null/database" } as const
  const refused = await openDatabase(place, ports)
  expect(refused.ok || databaseFailureWords(refused.failure)).toContain("The database in /dev/null/database cannot be")
})
