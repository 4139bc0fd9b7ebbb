/** Whose objects a repository may read without a question. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { disk } from "#ground/workspace/disk.ts"
import { borrowerFile, mayBorrow } from "#ground/workspace/git/borrowing.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("only those of a lender that says so itself, elsewhere, and that borrows from nobody", () => {
  using folder = temporaryFolder()
  const [root, lender] = [folder.join("work/app"), folder.join("mirrors/a.git")]
  const objects = join(lender, "objects")
  const lend = (to: string, from = lender): void => {
    mkdirSync(join(from, "objects/info"), { recursive: true })
    mkdirSync(dirname(borrowerFile(from, to)), { recursive: true })
    writeFileSync(borrowerFile(from, to), to)
  }
  const may = (alternates: string, by = root): boolean => mayBorrow(by, alternates, disk)
  mkdirSync(root, { recursive: true })
  expect(may("# nothing\n\n")).toBe(true)
  expect(may(`${objects}\n`)).toBe(false)
  lend(root)
  expect(may(`${objects}\n`)).toBe(true)
  expect(may(`${objects}\n`, folder.join("work/other"))).toBe(false)
  for (const text of [
    `${objects}\n/etc/objects\n`,
    `${objects}/../objects\n`,
    `${objects}/pack\n`,
    "../../mirrors/a.git/objects\n",
    `"${objects}"\n`,
  ])
    expect([text, may(text)]).toEqual([text, false])
  // A project can write what it wants into its own folder.
  lend(root, join(root, "lender.git"))
  expect(may(`${join(root, "lender.git/objects")}\n`)).toBe(false)
  symlinkSync(lender, folder.join("link.git"))
  expect(may(`${folder.join("link.git/objects")}\n`)).toBe(false)
  writeFileSync(borrowerFile(lender, root), "another")
  expect(may(`${objects}\n`)).toBe(false)
  lend(root)
  writeFileSync(join(objects, "info/alternates"), "/etc/objects\n")
  expect(may(`${objects}\n`)).toBe(false)
  rmSync(join(objects, "info/alternates"))
  expect(may(`${objects}\n`)).toBe(true)
})
