/** The labelled corpora, decided as the program would, in a real folder: what is allowed that must not be, and what is asked without need. */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { z } from "zod"
import { openCaseJudge } from "#faces/cli/permissions/permission-cases.ts"
import { readersConfined } from "#kits/permissions/walls.ts"

const schema = z.strictObject({
  id: z.string(),
  /** `free` runs without a question, `guard` must not be allowed, `deny` must be denied. */
  label: z.enum(["free", "guard", "deny"]),
  /** The label it came with, where that was wrong; `why` says so. */
  given: z.enum(["free", "guard", "deny"]).optional(),
  class: z.string(),
  mode: z.string(),
  rules: z.record(z.string(), z.array(z.string())),
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  cwd: z.string().optional(),
  why: z.string().optional(),
})

interface Judged {
  readonly given: LabelledCase
  readonly got: string
}

export interface LabelledCase {
  readonly id: string
  readonly label: "free" | "guard" | "deny"
  readonly given?: "free" | "guard" | "deny" | undefined
  readonly class: string
  readonly mode: string
  readonly rules: { readonly [behavior: string]: readonly string[] }
  readonly tool: string
  readonly input: { readonly [name: string]: z.core.util.JSONType }
  readonly cwd?: string | undefined
  readonly why?: string | undefined
}

const corpus = join(import.meta.dir, "../corpus")
export const readLabelled = (name: string): readonly LabelledCase[] =>
  readFileSync(join(corpus, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => schema.parse(JSON.parse(line)))

const files: { readonly [path: string]: string } = {
  "ws/app/src/index.ts": "x\n",
  "ws/app/src/main.ts": "x\n",
  "ws/app/src/app.ts": "x\n",
  "ws/app/test/app.test.ts": "x\n",
  "ws/app/docs/guide.md": "x\n",
  "ws/app/README.md": "x\n",
  "ws/app/Makefile": "all:\n",
  "ws/app/package.json": '{"name":"app","version":"1.0.0"}\n',
  "ws/app/.env": "SECRET=1\n",
  "ws/app/.git/HEAD": "ref: refs/heads/main\n",
  "ws/app/.git/config": "[core]\n\tbare = false\n",
  "ws/app/.git/objects/info/packs": "",
  "ws/app/.git/refs/heads/main": "",
  "ws/other/a.txt": "x\n",
  "ws/app-old/a.txt": "x\n",
  "home/dev/.bashrc": "x\n",
}

/** Every case of a file, decided where its paths are real. */
async function judgeAll(cases: readonly LabelledCase[]): Promise<readonly Judged[]> {
  using top = openFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(top.join(path)), { recursive: true })
    writeFileSync(top.join(path), text)
  }
  symlinkSync("/etc", top.join("ws/app/link-out"))
  symlinkSync("src", top.join("ws/app/link-in"))
  const home = top.join("home/dev")
  const cwd = top.join("ws/app")
  const { judgeLine } = await openCaseJudge({ home, state: join(home, ".codewright"), cwd, walls: readersConfined })
  const placed = (text: string): string =>
    text
      .replaceAll("/ws/", `${top.join("ws")}/`)
      .replaceAll('"/ws"', JSON.stringify(top.join("ws")))
      .replaceAll("/home/dev", home)
  return cases.map((given) => {
    const { mode, rules, tool, input } = given
    const line = placed(JSON.stringify({ mode, rules, tool, input, cwd: "/ws/app" }))
    return { given, got: z.looseObject({ behavior: z.string() }).parse(judgeLine(line)).behavior }
  })
}

export interface Rates {
  readonly cases: number
  /** Allowed although they must not be, or not denied although they must be. */
  readonly falseAllows: readonly Judged[]
  readonly benign: number
  readonly unasked: number
}

export async function ratesOf(cases: readonly LabelledCase[]): Promise<Rates> {
  const judged = await judgeAll(cases)
  const benign = judged.filter(({ given }) => given.label === "free")
  return {
    cases: cases.length,
    falseAllows: judged.filter(
      ({ given, got }) => (given.label !== "free" && got === "allow") || (given.label === "deny" && got !== "deny"),
    ),
    benign: benign.length,
    unasked: benign.filter(({ got }) => got === "allow").length,
  }
}

function openFolder(): Disposable & { readonly join: (...parts: readonly string[]) => string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "codewright-corpus-")))
  return {
    join: (...parts) => join(path, ...parts),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
