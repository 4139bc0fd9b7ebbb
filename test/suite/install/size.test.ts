/** What the executable adds to its runtime, and that the libraries it carries compressed work in it. */

import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { makePdf } from "../../unit/kits/tools/make-pdf.ts"
import { libraryFile, packedLibraries } from "#ground/bundled/libraries.ts"
import { libraryFiles } from "../../../scripts/packed-libraries.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { openPlace, program, runCodewright } from "../../kit/run-codewright.ts"
import { sentIn } from "../../kit/sent.ts"

const shipped = program.endsWith("/bin/codewright") ? await builtProgram() : program

test("an executable is at most 33.5 MB larger than its runtime", () => {
  // What it is made of, and what could not be made smaller: docs/decisions/0138-sizes-and-proofs-of-a-release.md.
  expect(statSync(shipped).size - statSync(process.execPath).size).toBeLessThan(33_500_000)
})

test("libraries that few sessions need are in it compressed only, each as one file that exports what is used", async () => {
  const made = await libraryFiles()
  const bytes = Buffer.from(await Bun.file(shipped).bytes())
  for (const [name, used] of Object.entries(packedLibraries)) {
    const text = Buffer.from(made[libraryFile(name)] ?? "").toString()
    const { exports, imports } = new Bun.Transpiler({ loader: "js" }).scan(text)
    expect(exports).toEqual([used])
    // It would otherwise need files beside it.
    expect(imports.map(({ path }) => path).filter((path) => !isBuiltin(path))).toEqual([])
    const middle = text.slice(text.length / 2, text.length / 2 + 200)
    expect([name, bytes.includes(middle)]).toEqual([name, false])
  }
})

test("it reads a PDF and a web page", async () => {
  using place = openPlace()
  await Bun.write(join(place.work, "a.pdf"), makePdf({ pages: ["The sky is blue."] }))
  const page = `<html><head><title>Colors</title></head><body><main><h1>Grass</h1><p>It is <b>green</b>. ${"More. ".repeat(50)}</p></main></body></html>`
  using site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(page, { headers: { "content-type": "text/html" } }),
  })
  const url = `http://127.0.0.1:${site.port}/`
  const { code, requests } = await runCodewright({
    place,
    program: shipped,
    argv: ["-p", "read both", "--allowed-tools", "WebFetch(domain:127.0.0.1)"],
    scenario: [
      {
        content: [
          { tool: "Read", input: { file_path: "a.pdf", pages: "1" } },
          { tool: "WebFetch", input: { url, prompt: "?" } },
        ],
      },
      "Green.",
      "Done.",
    ],
  })
  expect(code).toBe(0)
  const [, small, last] = requests.map((request) => JSON.stringify(sentIn(request)))
  expect(small?.includes("# Grass\\n\\nIt is **green**.")).toBe(true)
  expect(last?.includes("The sky is blue.")).toBe(true)
})
