/** What keys bring in from outside: pictures that are dropped or in the clipboard, and texts from one's own editor. */

import { describe, expect, test } from "bun:test"
import type { ImageBlock } from "#agent/words/message.ts"
import type { PicturesPort } from "#faces/tui/external-effects.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"

const enter = "\r"
const controlG = "\u0007"
const controlS = "\u0013"
const controlV = "\u0016"
const picture = (data: string): ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
})
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`
const screenOf = (paper: OnPaper): Promise<string> => paper.terminal.screen()
const contents = (paper: OnPaper): unknown[] => paper.ops.flatMap((op) => (op.type === "prompt" ? [op.content] : []))

const pictures = (port: Partial<PicturesPort>): PicturesPort => ({
  fromFile: async (path) => failed({ kind: "absent", message: `The file ${path} does not exist.` }),
  fromClipboard: async () => failed({ kind: "unusable", message: "There is nothing in the clipboard." }),
  ...port,
})

describe("a picture", () => {
  test("that is dropped stands in the prompt by its number and goes with it", async () => {
    const port = pictures({ fromFile: async (path) => ok(picture(path)) })
    const paper = await openOnPaper(80, 40, { pictures: port })
    await paper.type(`compare ${paste("'/tmp/a b.png' /tmp/c.jpg")}`)
    expect(await screenOf(paper)).toContain("> compare [Image #1][Image #2]")
    await paper.pass(10)
    await paper.type(` please${enter}`)
    const text = "compare [Image #1][Image #2] please"
    expect(contents(paper)).toEqual([[picture("/tmp/a b.png"), picture("/tmp/c.jpg"), { type: "text", text }]])
  })

  test("that was taken out of the prompt again does not go with it", async () => {
    const port = pictures({ fromFile: async (path) => ok(picture(path)) })
    const paper = await openOnPaper(80, 40, { pictures: port })
    await paper.type(`${paste("/a.png")}\u007fwords${enter}`)
    await paper.pass(10)
    expect(contents(paper)).toEqual([[{ type: "text", text: "words" }]])
  })

  test("is waited for before the prompt goes, also when the draft was put away meanwhile", async () => {
    const { promise, resolve } = Promise.withResolvers<Result<ImageBlock, never>>()
    const paper = await openOnPaper(80, 40, { pictures: pictures({ fromFile: () => promise }) })
    await paper.type(`${paste("/a.png")}${enter}`)
    expect(paper.ops).toEqual([])
    expect(await screenOf(paper)).toContain("Sent as soon as the picture is read")
    await paper.type(controlS)
    resolve(ok(picture("a")))
    await paper.pass(10)
    await paper.type(controlS + enter)
    expect(contents(paper)).toEqual([[picture("a"), { type: "text", text: "[Image #1]" }]])
  })

  test("that is still being read goes with the prompt by itself once it is there, unless another key was pressed", async () => {
    for (const key of ["", "!", "\u001b"]) {
      const { promise, resolve } = Promise.withResolvers<Result<ImageBlock, never>>()
      const paper = await openOnPaper(80, 40, { pictures: pictures({ fromFile: () => promise }) })
      await paper.type(`${paste("/a.png")}${enter}`)
      await paper.type(key)
      await paper.pass(100)
      resolve(ok(picture("a")))
      await paper.pass(10)
      const sent = [[picture("a"), { type: "text", text: "[Image #1]" }]]
      expect(contents(paper)).toEqual(key === "" ? sent : [])
      expect(await screenOf(paper)).toContain(
        key === "" ? "> Ask anything · @ for files · / for commands" : "> [Image #1]",
      )
    }
  })

  test("that cannot be read does not go, nor do the words around it, until it is asked for again", async () => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<PicturesPort["fromFile"]>>>()
    const paper = await openOnPaper(80, 40, { pictures: pictures({ fromFile: () => promise }) })
    await paper.type(`${paste("/a.png")}${enter}`)
    resolve(failed({ kind: "unusable", message: "It is no picture." }))
    await paper.pass(10)
    expect(contents(paper)).toEqual([])
    expect(await screenOf(paper)).toContain("> /a.png")
  })

  test("that is no file is its path as text", async () => {
    const paper = await openOnPaper(80, 40, { pictures: pictures({}) })
    await paper.type(`see ${paste("/not/there.png")}`)
    await paper.pass(10)
    await paper.type(`!${enter}`)
    expect(contents(paper)).toEqual([[{ type: "text", text: "see /not/there.png!" }]])
    expect(await screenOf(paper)).not.toContain("does not exist")
  })

  test("that cannot be used is its path, and it is said why", async () => {
    const message = "/big.png is larger than 50 MB. Use a smaller picture."
    const port = pictures({ fromFile: async () => failed({ kind: "unusable", message }) })
    const paper = await openOnPaper(80, 40, { pictures: port })
    await paper.type(paste("/big.png"))
    await paper.pass(10)
    expect(await screenOf(paper)).toContain(`✗ ${message}`)
    expect(await screenOf(paper)).toContain("> /big.png")
  })

  test("is a path where there are no pictures", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`${paste("/a.png")}${controlV}${enter}`)
    expect(contents(paper)).toEqual([[{ type: "text", text: "/a.png" }]])
  })
})

describe("the clipboard", () => {
  test("brings a picture, a text, or a reason", async () => {
    const clippings: Awaited<ReturnType<PicturesPort["fromClipboard"]>>[] = [
      ok(picture("clip")),
      ok("some text"),
      ok("line\n".repeat(30)),
      failed({ kind: "unusable", message: "The clipboard has nothing that can be pasted." }),
    ]
    const port = pictures({ fromClipboard: async () => clippings.shift() ?? failed({ kind: "unusable", message: "" }) })
    const paper = await openOnPaper(80, 40, { pictures: port })
    for (let i = 0; i < 4; i++) {
      await paper.type(controlV)
      await paper.pass(10)
    }
    expect(await screenOf(paper)).toContain("> [Image #1]some text[Pasted text #1 +30 lines]\n")
    expect(await screenOf(paper)).toContain("✗ The clipboard has nothing that can be pasted.")
  })
})

describe("one's own editor", () => {
  test("gets the whole text, with pastes, and gives another", async () => {
    const given: string[] = []
    const editor = {
      editText: async (text: string) => (given.push(text), ok(`${text}\nand more`)),
      editFile: async () => ok(undefined),
    }
    const paper = await openOnPaper(80, 40, { editor })
    const long = "line\n".repeat(20)
    await paper.type(`look: ${paste(long)}${controlG}`)
    await paper.pass(10)
    expect(given).toEqual([`look: ${long}`])
    expect(paper.signals.filter((signal) => signal === "lent" || signal === "back")).toEqual(["lent", "back"])
    await paper.type(enter)
    expect(contents(paper)).toEqual([[{ type: "text", text: `look: ${long}\nand more` }]])
  })

  test("that fails leaves the text as it was, and says why", async () => {
    const why = "The editor nope was not found. Set VISUAL or EDITOR to another."
    const editor = { editText: async () => failed(why), editFile: async () => ok(undefined) }
    const paper = await openOnPaper(80, 40, { editor })
    await paper.type("some words\u0018\u0005")
    await paper.pass(10)
    expect(await screenOf(paper)).toContain(`✗ ${why}`)
    expect(await screenOf(paper)).toContain("> some words")
  })

  test("that is not there is said so", async () => {
    const paper = await openOnPaper(80)
    await paper.type(`some words${controlG}`)
    expect(await screenOf(paper)).toContain("No editor found; set EDITOR")
  })

  test("opens a memory file by /memory", async () => {
    const opened: string[] = []
    const memory = {
      files: async () => [{ label: "This project", path: "/p/AGENTS.md" }],
      add: async () => ok(undefined),
    }
    const editor = {
      editText: async (text: string) => ok(text),
      editFile: async (path: string) => (opened.push(path), ok(undefined)),
    }
    const paper = await openOnPaper(80, 40, { editor, panels: { memory } })
    await paper.type(`/memory ${enter}`)
    await paper.pass(400)
    await paper.type(enter)
    await paper.pass(10)
    expect(opened).toEqual(["/p/AGENTS.md"])
  })
})
