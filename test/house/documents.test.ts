/** Documents say what is there: decisions and their index, paths they name, links between them. */

import { expect, test } from "bun:test"
import { Glob } from "bun"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { decisionFaults, decisionFiles, decisionsIndex, readDecision } from "../../scripts/decisions.ts"
import { brokenLinks, type Document, missingPaths, unusedWords } from "./walls/documents.ts"

const root = resolve(import.meta.dir, "../..")
const files = [...new Glob("{src,test,scripts,bench,docs,bin,examples,sample}/**").scanSync({ cwd: root, dot: true })]
const atTop = [...new Glob("*").scanSync(root)]
const decisions = decisionFiles(root)

const documents: readonly Document[] = [
  ...new Glob("*.md").scanSync(root),
  ...new Glob("{docs,examples}/**/*.md").scanSync(root),
].map(documentAt)

function documentAt(path: string): Document {
  return { path, text: readFileSync(join(root, path), "utf8") }
}

test("every decision says its rooms and its status, and what supersedes it exists", () => {
  expect(decisionFaults(decisions)).toEqual([])
})

test("decisions that comments refer to exist", () => {
  const numbers = new Set(decisions.map(({ name }) => Number(name.slice(0, 4))))
  const sources = files.filter((path) => /^(src|test|scripts|bench)\/.*\.(tsx?|mjs|c|h)$/.test(path)).map(documentAt)
  const missing = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\bSee decision (\d+)/g)].flatMap(([said, number]) =>
      numbers.has(Number(number)) ? [] : [`${path}: ${said}`],
    ),
  )
  expect(missing).toEqual([])
})

test("the rooms of decisions exist", () => {
  const missing = decisions.flatMap((file) =>
    (readDecision(file)?.rooms ?? [])
      .filter((room) => !files.some((path) => path.startsWith(`src/${room}/`) || path.startsWith(`${room}/`)))
      .map((room) => `${file.name}: ${room}`),
  )
  expect(missing).toEqual([])
})

test("the index of decisions is up to date (npm run reference)", async () => {
  expect(await Bun.file(join(root, "docs/decisions/README.md")).text()).toBe(decisionsIndex(decisions))
})

test("paths that the map and decisions in force name exist", () => {
  const past = new Set(decisions.filter((file) => readDecision(file)?.status === "superseded").map(({ name }) => name))
  const judged = documents.filter(
    ({ path }) =>
      /^docs\/(decisions\/\d|ARCHITECTURE|GLOSSARY)|^(AGENTS|CONTRIBUTING)\.md/.test(path) &&
      !past.has(path.replace("docs/decisions/", "")),
  )
  expect(judged.flatMap((document) => missingPaths(document, files))).toEqual([])
})

test("words of the glossary are used where it says", async () => {
  const glossary = await Bun.file(join(root, "docs/GLOSSARY.md")).text()
  const sources = files.filter((path) => /^(src|test\/house)\/.*\.tsx?$/.test(path)).map(documentAt)
  expect(unusedWords(glossary, sources)).toEqual([])
})

test("links between documents lead somewhere", () => {
  expect(brokenLinks(documents, [...files, ...atTop])).toEqual([])
})
