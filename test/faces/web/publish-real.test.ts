/** What a session did in a repository, as a branch and a pull request: committed, pushed and opened once, whoever asks again, by the API and in a browser. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import type { ForgeKind } from "#ground/forges/forge.ts"
import type { ChangesPage } from "#faces/web/page/contract-changes.ts"
import type { PostgresDatabase } from "../../kit/database/postgres-server.ts"
import { openUsualServer } from "../../kit/database/engines.ts"
import { type MockForge, openMockForge } from "../../kit/mock-forge.ts"
import { environmentOf, openPlace, type Place, program } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { axeProblems } from "../../kit/web/axe.ts"
import { desktop, hasBrowser, openBrowsing, phone } from "../../kit/web/browser.ts"
import { openTurns } from "../../kit/turns.ts"
import { evilLine } from "../../kit/web/hostile.ts"

const scenario: ScenarioFunction = ({ messages }) => {
  const said = JSON.stringify(messages)
  const results = said.split('"tool_result"').length - 1
  const wanted = said.includes("And another") ? 2 : 1
  if (results < wanted)
    return { content: [{ tool: "Write", input: { file_path: `file-${results}.txt`, content: `number ${results}\n` } }] }
  return { content: "Done." }
}

const kinds: readonly ForgeKind[] = ["gitea", "github", "gitlab"]

let place: Place
let postgres: PostgresDatabase | undefined
let simulator: Simulator
let forges: ReadonlyMap<ForgeKind, MockForge>
let server: Bun.Subprocess<"ignore", "pipe", "inherit">
let api: string
let token: string
/** The repository behind the addresses of all forges. */
let origin: string
let seed: string
const browsing = openBrowsing()

function git(cwd: string, ...argv: readonly string[]): string {
  const ran = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
  return ran.stdout.toString().trim()
}

function forgeOf(kind: ForgeKind): MockForge {
  const forge = forges.get(kind)
  if (!forge) throw new Error(`no ${kind}`)
  return forge
}

const urlOf = (kind: ForgeKind): string => `${forgeOf(kind).url}/owner/shop.git`

async function ask<T>(method: string, path: string, body?: object, key?: string): Promise<{ status: number; body: T }> {
  const response = await fetch(`${api}/api/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as T }
}

/** The path of a session that has written a file. */
async function written(kind: ForgeKind, prompt: string): Promise<string> {
  const made = await ask<{ id: string }>("POST", "sessions", {
    prompt,
    workspace: { git: { url: urlOf(kind) } },
    mode: "acceptEdits",
    model: "claude-sonnet-5",
  })
  await ended(`sessions/${made.body.id}`)
  return `sessions/${made.body.id}`
}

async function ended(session: string): Promise<void> {
  for (;;) {
    const { body } = await ask<{ stage: string; worker: unknown; result?: { text: string } }>("GET", session)
    if (body.stage === "failed") throw new Error(body.result?.text)
    if (body.stage === "completed" && body.worker === null) return
    await Bun.sleep(50)
  }
}

describe("what a session did", () => {
  beforeAll(async () => {
    place = openPlace()
    forges = new Map(kinds.map((kind) => [kind, openMockForge({ kind, token: "from-a-file" })]))
    origin = join(place.path, "origin.git")
    seed = join(place.path, "seed")
    mkdirSync(seed)
    git(place.path, "init", "--quiet", "--bare", "--initial-branch=main", origin)
    git(seed, "init", "--quiet", "--initial-branch=main")
    writeFileSync(join(seed, "README"), "hello\n")
    git(seed, "add", ".")
    git(seed, "commit", "--quiet", "-m", "Begin")
    git(seed, "push", "--quiet", origin, "main")
    const rewrites = kinds.map((kind) => `  insteadOf = ${urlOf(kind)}\n`)
    writeFileSync(join(place.home, ".gitconfig"), `[url "${origin}"]\n${rewrites.join("")}`)
    const tokenFile = join(place.path, "token")
    writeFileSync(tokenFile, "from-a-file\n")
    const known = kinds.map((kind) => ({ host: forgeOf(kind).host, kind, api: forgeOf(kind).url, tokenFile }))
    simulator = valueOf(await openSimulator({ scenario }))
    const env = environmentOf(place, simulator.url, {})
    mkdirSync(env["CODEWRIGHT_HOME"] ?? "", { recursive: true })
    writeFileSync(join(env["CODEWRIGHT_HOME"] ?? "", "settings.json"), JSON.stringify({ server: { forges: known } }))
    postgres = await openUsualServer()
    const database = postgres ? ["--database", postgres.url] : []
    server = Bun.spawn([program, "serve", "--port", "0", "--json", ...database], {
      cwd: place.work,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    })
    const { value } = await server.stdout.getReader().read()
    ;({ url: api, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string })
  }, 300_000)

  afterAll(async () => {
    server.kill()
    await server.exited
    await postgres?.[Symbol.asyncDispose]()
    await simulator.close()
    for (const forge of forges.values()) forge[Symbol.dispose]()
    place[Symbol.dispose]()
  }, 120_000)

  test(
    "a branch is pushed and a pull request opened, each once; a later one adds to it",
    async () => {
      const forge = forgeOf("gitea")
      const session = await written("gitea", "Write a file")
      const wish = {
        message: "Add a file",
        branch: "codewright/files",
        pull: { title: "Add a file", body: "As asked" },
      }
      const first = await ask<{ commit: string; branch: string; committed: boolean; pull: object }>(
        "POST",
        `${session}/publish`,
        wish,
        "once",
      )
      expect(first).toEqual({
        status: 200,
        body: {
          branch: "codewright/files",
          commit: expect.any(String) as string,
          committed: true,
          pull: { url: `${forge.url}/pull/7`, number: 7, existed: false },
        },
      })
      expect(git(origin, "log", "--format=%s", "codewright/files")).toBe("Add a file\nBegin")
      expect(git(origin, "show", "codewright/files:file-0.txt")).toBe("number 0")
      expect(await ask("POST", `${session}/publish`, wish, "once")).toEqual(first)
      const again = await ask("POST", `${session}/publish`, wish, "twice")
      expect(again.body).toMatchObject({
        commit: first.body.commit,
        committed: false,
        pull: { number: 7, existed: true },
      })
      expect(git(origin, "rev-list", "--count", "codewright/files")).toBe("2")
      expect(forge.pulls.map(({ head, base, title }) => [head, base, title])).toEqual([
        ["codewright/files", "main", "Add a file"],
      ])
      const { published } = (await ask<ChangesPage>("GET", `${session}/changes`)).body
      expect(published.map(({ branch, pull }) => [branch, pull?.number])).toEqual([["codewright/files", 7]])

      await ask("POST", `${session}/messages`, { text: "And another" })
      await Bun.sleep(200)
      await ended(session)
      await ask("POST", `${session}/publish`, { ...wish, message: "Add another" })
      expect(git(origin, "log", "--format=%s", "codewright/files")).toBe("Add another\nAdd a file\nBegin")

      git(seed, "commit", "--quiet", "--allow-empty", "-m", "Theirs")
      git(seed, "push", "--quiet", origin, "main:theirs")
      const refused = await ask<{ error: { message: string } }>("POST", `${session}/publish`, {
        ...wish,
        branch: "theirs",
      })
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        expect.stringContaining("Choose another name for the branch") as string,
      ])
      expect(git(origin, "log", "-1", "--format=%s", "theirs")).toBe("Theirs")
      for (const branch of ["-x", "a..b", "refs/heads/x", "HEAD", "a b", "x.lock", "--upload-pack=x"])
        expect([branch, (await ask("POST", `${session}/publish`, { ...wish, branch })).status]).toEqual([branch, 422])
      const dump = JSON.stringify((await ask("GET", "audit")).body)
      expect(dump).toContain("branch codewright/files to be pushed, with a pull request")
      expect(dump).not.toContain("from-a-file")
    },
    Infinity,
  )

  describe.skipIf(!hasBrowser)("on the page", () => {
    // Of the three forges, one for each story.
    const places = [
      ["gitlab", "phone", phone],
      ["github", "desk", desktop],
    ] as const
    test.each(openTurns()(places))(
      "a branch is pushed and a pull request opened, and once more after a mistake: %s, %s",
      async (kind, _where, viewport) => {
        const session = await written(kind, `Write ${evilLine}`)
        const { page, troubles } = await browsing.look(api, { viewport, reducedMotion: "reduce" })
        await page.getByLabel("Or sign in with your token").fill(token)
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.getByRole("navigation").waitFor()
        await page.evaluate(`location.hash = "#/${session}/changes"`)
        await page.getByText("Commit, push and open a pull request").click()
        const form = page.locator("form.publish")
        // Proposed by the session, so that nothing has to be typed.
        expect(await form.getByLabel("Branch").inputValue()).toMatch(/^codewright\/write-img-[\w-]+$/)
        expect(await form.getByLabel("Description").inputValue()).toContain("> Write <img")
        expect(await axeProblems(page, "form.publish")).toEqual([])
        await form.getByLabel("Title, also of the commit").fill(`For ${kind}`)
        await form.getByLabel("Branch").fill(`page/${kind}`)
        await form.getByLabel("Into").fill("gone")
        await form.getByRole("button", { name: "Push and open pull request" }).click()
        await form.getByRole("alert").waitFor()
        expect(forgeOf(kind).pulls.filter(({ head }) => head === `page/${kind}`)).toEqual([])
        await form.getByLabel("Into").fill("")
        await form.getByRole("button", { name: "Push and open pull request" }).click()
        await form.getByText(`Pushed page/${kind}.`).waitFor()
        const link = form.getByRole("link", { name: /^Pull request #\d+$/ })
        expect(await link.getAttribute("href")).toStartWith(`${forgeOf(kind).url}/pull/`)
        expect(git(origin, "log", "--format=%s", `page/${kind}`)).toBe(`For ${kind}\nBegin`)
        expect(
          forgeOf(kind)
            .pulls.filter(({ head }) => head === `page/${kind}`)
            .map(({ base, title }) => [base, title]),
        ).toEqual([["main", `For ${kind}`]])
        // It stays on the review, also for those who come later.
        await page.reload()
        await page
          .locator(".published")
          .getByRole("link", { name: /^Pull request #/ })
          .waitFor()
        expect(await page.locator(".published .mono").textContent()).toBe(`page/${kind}`)
        expect(await page.evaluate("globalThis.pwned")).toBe(undefined)
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
        expect(troubles).toEqual([])
      },
      Infinity,
    )

    test(
      "with the keyboard alone: github, a branch of somebody else is left alone, and a push comes before its pull request",
      async () => {
        const session = await written("github", "Write a file")
        git(seed, "commit", "--quiet", "--allow-empty", "-m", "Somebody's")
        git(seed, "push", "--quiet", origin, "HEAD:somebodys")
        const { page, troubles } = await browsing.look(api)
        await page.getByLabel("Or sign in with your token").fill(token)
        await page.keyboard.press("Enter")
        await page.getByRole("navigation").waitFor()
        await page.evaluate(`location.hash = "#/${session}/changes"`)
        const summary = page.getByText("Commit, push and open a pull request")
        await summary.waitFor()
        // With the keyboard alone.
        await summary.focus()
        await page.keyboard.press("Enter")
        const form = page.locator("form.publish")
        await form.getByLabel("Branch").focus()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("somebodys")
        await form.getByLabel("Open a pull request").focus()
        await page.keyboard.press("Space")
        await form.getByLabel("Title, also of the commit").focus()
        await page.keyboard.press("Enter")
        await form.getByText("Choose another name for the branch").waitFor()
        expect(git(origin, "log", "-1", "--format=%s", "somebodys")).toBe("Somebody's")
        await form.getByLabel("Branch").focus()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("only-pushed")
        await page.keyboard.press("Enter")
        await form.getByText("Pushed only-pushed.").waitFor()
        const opened = (): readonly string[] => forgeOf("github").pulls.map(({ head }) => head)
        expect(opened()).not.toContain("only-pushed")
        await form.getByLabel("Open a pull request").focus()
        await page.keyboard.press("Space")
        await form.getByLabel("Branch").focus()
        await page.keyboard.press("Enter")
        await form.getByRole("link", { name: /^Pull request #/ }).waitFor()
        expect(opened()).toContain("only-pushed")
        expect(troubles).toEqual([])
      },
      Infinity,
    )
  })
})
