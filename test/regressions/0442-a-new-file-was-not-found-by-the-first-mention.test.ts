/** In a large repository the first mention of a file that git does not track yet found nothing until another letter was typed. */

import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openFileFinder } from "#faces/cli/terminal/find-files.ts"
import { openTestRepository } from "../kit/repository.ts"

test("whoever asks before the new files are known waits for them", async () => {
  await using repository = await openTestRepository()
  const { root, put, git } = repository
  // Git's own list is read where its index is long.
  const long = `${"n".repeat(200)}/${"m".repeat(200)}`
  mkdirSync(join(root, long), { recursive: true })
  for (let i = 0; i < 3_000; i++) put(`${long}/${i}.ts`, "")
  git("add", ".")
  put("brandnew.md", "")
  const find = openFileFinder({
    folder: root,
    home: root,
    cacheFolder: join(root, ".git"),
    added: [],
    ignored: "hidden",
    env: () => ({}),
  })
  expect(await find("brandn", new AbortController().signal)).toEqual(["brandnew.md"])
})
