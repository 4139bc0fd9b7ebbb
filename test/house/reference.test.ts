import { expect, test } from "bun:test"
import { join, resolve } from "node:path"
import { commands } from "#faces/cli/commands.ts"
import { manPage } from "#faces/cli/help/man-page.ts"
import { version } from "#lib/version.ts"
import { referencePages } from "../../scripts/reference-pages.ts"

const root = resolve(import.meta.dir, "../..")

test("docs/reference says what the code says (npm run reference)", async () => {
  for (const [name, text] of Object.entries(await referencePages()))
    expect({ name, text: await Bun.file(join(root, "docs/reference", name)).text() }).toEqual({ name, text })
})

test("docs/man says what the code says (npm run reference)", async () => {
  expect(await Bun.file(join(root, "docs/man/codewright.1")).text()).toBe(await manPage(commands))
})

test("--version says what package.json says", async () => {
  const manifest = (await Bun.file(join(root, "package.json")).json()) as { version: string }
  expect(version).toBe(manifest.version)
})
