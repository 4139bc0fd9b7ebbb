/** The program refers to guides and reference pages; somebody who has only the executable could not read them. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { bundledDocuments, documentsFile, documentTexts } from "#ground/bundled/documents.ts"
import { packDocuments } from "../../scripts/documents.ts"
import { builtProgram } from "../kit/built-program.ts"
import { runCodewright } from "../kit/run-codewright.ts"

const root = resolve(import.meta.dir, "../..")

test("the executable prints every document as it is in the source tree", async () => {
  const program = await builtProgram()
  const print = (...argv: readonly string[]): string =>
    Bun.spawnSync([program, "docs", ...argv], { cwd: "/", stdin: "ignore" }).stdout.toString()
  const list = print()
  for (const [name, text] of Object.entries(await documentTexts())) {
    expect(list).toContain(`  ${name} `)
    expect(text).toEndWith(`${print(name).trim()}\n`)
  }
})

test("packed, they take less than 100 kB, and come out the same", async () => {
  using packed = await packDocuments()
  const file = Bun.file(packed.path)
  expect(file.size).toBeLessThan(102_400)
  const unpacked = await bundledDocuments((name) => (name === documentsFile ? file : undefined))
  expect(unpacked).toEqual(await bundledDocuments())
})

test("whatever document the program or a document names is there", async () => {
  const documents = await bundledDocuments()
  const names = documents.map(({ name }) => name)
  for (const path of new Bun.Glob("src/**/*.{ts,tsx}").scanSync({ cwd: root })) {
    const code = readFileSync(join(root, path), "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "")
    expect([path, ...code.matchAll(/docs\/[\w/-]+\.md/g)]).toEqual([path])
    for (const [, name = ""] of code.matchAll(/codewright docs ([a-z][a-z-]+)(?= lists| says|\b[.`"])/g))
      expect(names).toContain(name)
  }
  for (const { text } of documents)
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+\.md)[^)]*\)/g))
      expect(names).toContain(basename(target, ".md").toLowerCase())
})

test("a path in a link works as a name, and a mistaken name is answered with a near one", async () => {
  const keys = await runCodewright({ argv: ["docs", "../reference/keys.md#keys"] })
  expect(keys).toMatchObject({ code: 0 })
  expect(keys.stdout).toStartWith("# Keys and slash commands")
  const mistaken = await runCodewright({ argv: ["docs", "permision"] })
  expect(mistaken).toMatchObject({ code: 1, stdout: "" })
  expect(mistaken.stderr).toContain("Did you mean permissions?")
})
