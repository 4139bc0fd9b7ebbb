/** What a session did in a repository, as a branch and a pull request: committed, pushed and opened once, whoever asks again. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import type { ChangesPage } from "#faces/web/page/contract-changes.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { openMockForge } from "../../kit/mock-forge.ts"
import { environmentOf, openPlace } from "../../kit/run-codewright.ts"
import { valueOf } from "../../kit/team/conformance.ts"

const scenario: ScenarioFunction = ({ messages }) => {
  const said = JSON.stringify(messages)
  const results = said.split('"tool_result"').length - 1
  const wanted = said.includes("And another") ? 2 : 1
  if (results < wanted)
    return { content: [{ tool: "Write", input: { file_path: `file-${results}.txt`, content: `number ${results}\n` } }] }
  return { content: "Done." }
}

test(
  "a branch is pushed and a pull request opened, each once; a later one adds to it",
  async () => {
    using place = openPlace()
    using forge = openMockForge({ kind: "gitea", token: "from-a-file" })
    const origin = join(place.path, "origin.git")
    const git = (cwd: string, ...argv: readonly string[]): string => {
      const ran = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd })
      if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
      return ran.stdout.toString().trim()
    }
    const seed = join(place.path, "seed")
    mkdirSync(seed)
    git(place.path, "init", "--quiet", "--bare", "--initial-branch=main", origin)
    git(seed, "init", "--quiet", "--initial-branch=main")
    writeFileSync(join(seed, "README"), "hello\n")
    git(seed, "add", ".")
    git(seed, "commit", "--quiet", "-m", "Begin")
    git(seed, "push", "--quiet", origin, "main")
    const url = `${forge.url}/owner/shop.git`
    writeFileSync(join(place.home, ".gitconfig"), `[url "${origin}"]\n  insteadOf = ${url}\n`)
    const tokenFile = join(place.path, "token")
    writeFileSync(tokenFile, "from-a-file\n")
    const settings = { server: { forges: [{ host: forge.host, kind: "gitea", api: forge.url, tokenFile }] } }
    const simulator = valueOf(await openSimulator({ scenario }))
    const env = environmentOf(place, simulator.url, {})
    mkdirSync(env["CODEWRIGHT_HOME"] ?? "", { recursive: true })
    writeFileSync(join(env["CODEWRIGHT_HOME"] ?? "", "settings.json"), JSON.stringify(settings))
    const server = Bun.spawn([await builtProgram(), "serve", "--port", "0", "--json"], {
      cwd: place.work,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    })
    try {
      const { value } = await server.stdout.getReader().read()
      const { url: api, token } = JSON.parse(Buffer.from(value ?? []).toString()) as { url: string; token: string }
      const ask = async <T>(
        method: string,
        path: string,
        body?: object,
        key?: string,
      ): Promise<{ status: number; body: T }> => {
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
      const made = await ask<{ id: string }>("POST", "sessions", {
        prompt: "Write a file",
        workspace: { git: { url } },
        mode: "acceptEdits",
        model: "claude-sonnet-5",
      })
      const session = `sessions/${made.body.id}`
      const ended = async (): Promise<void> => {
        for (;;) {
          const { body } = await ask<{ stage: string; worker: unknown; result?: { text: string } }>("GET", session)
          if (body.stage === "failed") throw new Error(body.result?.text)
          if (body.stage === "completed" && body.worker === null) return
          await Bun.sleep(50)
        }
      }
      await ended()
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
      await ended()
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
    } finally {
      server.kill()
      await server.exited
      await simulator.close()
    }
  },
  Infinity,
)
