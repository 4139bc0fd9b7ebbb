import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { databaseFiles } from "../../../../scripts/empty-database.ts"
import { compressedAssets } from "../../../../scripts/compressed-assets.ts"
import { howToBuild } from "../../../../scripts/how-to-build.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const root = resolve(import.meta.dir, "../../../..")

test("an executable has a database of its own, without any package beside it", async () => {
  using folder = temporaryFolder()
  const program = folder.join("program")
  const { flags, digests } = await compressedAssets(await databaseFiles())
  const define = `--define=CODEWRIGHT_BUILD=${JSON.stringify({ assets: digests })}`
  const built = Bun.spawnSync(
    [process.execPath, ...howToBuild, define, ...flags, "test/kit/database/use.ts", `--outfile=${program}`],
    { cwd: root },
  )
  expect(built.stderr.toString()).toBe("")
  for (const starts of [1, 2]) {
    // Far from the repository, so that nothing can be found there.
    const run = Bun.spawn([program, folder.join("database")], { cwd: "/", stdout: "pipe", stderr: "pipe" })
    const [out, err] = await Promise.all([run.stdout.text(), run.stderr.text()])
    expect(err).toBe("")
    expect(JSON.parse(out)).toMatchObject({ isBundled: true, starts })
  }
}, 300_000)
