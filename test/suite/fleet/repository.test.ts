/** A session in a repository, whose worker and whole disk are gone when its answer comes. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { openFleet } from "../../kit/fleet/fleet.ts"

/** `author`: how it is said who commits. */
const change = (author: string): string =>
  [
    "printf 'a\\r\\nb' > crlf.txt",
    "printf '\\000\\001\\377' > bytes.dat",
    "chmod +x run.sh",
    "rm gone.txt",
    "mkdir -p deep/er && echo x > deep/er/new.txt",
    author,
    "git add -A && git commit -qm first",
    "echo unsaved >> README.md && echo loose > loose.txt && mkdir node_modules && echo big > node_modules/x",
  ].join(" && ")

const steps = (author: string): readonly string[] => [
  change(author),
  "touch asked",
  "sha256sum $(git ls-files) loose.txt > sums; git log --format=%s; git status --short; ls -l run.sh",
]

const scenario =
  (author = ""): ScenarioFunction =>
  ({ messages }) => {
    const command = steps(author)[JSON.stringify(messages).split('"tool_result"').length - 1]
    return command === undefined ? { content: "Done." } : { content: [{ tool: "Bash", input: { command } }] }
  }

async function sh(command: string, cwd: string): Promise<string> {
  const { stdout, exited } = Bun.spawn(["bash", "-ec", command], { cwd, stdout: "pipe", stderr: "inherit" })
  const [text, code] = await Promise.all([stdout.text(), exited])
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  return text
}

const usualSettings = {
  permissions: { allow: ["Bash"], ask: ["Bash(touch:*)"] },
  server: { pushBranches: true },
}

/** The sandbox keeps the configuration of a clone as it is, so there the author is that of whoever runs the worker, or our own. */
const inClone = "git config user.email t@example.com && git config user.name T"

test.skipIf(!hasPostgres).each([
  ["of an admin, outside the sandbox", { ...usualSettings, sandbox: { enabled: false } }, inClone, {}],
  ["of an operator, confined", usualSettings, "true", { confined: true }],
] as const)(
  "a session %s: files, commits and the branch continue elsewhere byte for byte; the result is a branch of the source",
  async (_whose, settings, author, more) => {
    await using fleet = await openFleet(scenario(author))
    const { place, store } = fleet
    const source = join(place.path, "source")
    mkdirSync(source)
    await sh(
      "git init -qb main && echo hello > README.md && echo old > gone.txt && echo 'echo run' > run.sh && printf 'node_modules\\n' > .gitignore && echo '* text eol=lf' > .gitattributes && git add -A && git -c user.name=a -c user.email=a@b commit -qm base",
      source,
    )
    const first = await fleet.startWorker({ settings })
    const id = await fleet.create({ opening: { workspace: { git: { url: source } }, ...more } })
    await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval" || stage === "failed")
    const [asked] = await store.approvals.of(id)
    expect(asked?.details?.folder).toBe("own")
    const [{ folder = "" } = {}] = await fleet.sql<{ folder: string }>("select folder from codewright.fleet_sessions")
    const tree = join(folder, "tree")
    const look =
      "find . -path ./.git -prune -o -path ./node_modules -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; git log --format='%H %s'; git branch --show-current; ls -l run.sh | cut -c1-10"
    const before = await sh(look, tree)
    expect(before).toContain("loose.txt")
    await first.end("SIGKILL")
    // Another machine has nothing of it.
    rmSync(folder, { recursive: true, force: true })
    rmSync(first.state, { recursive: true, force: true })

    await fleet.decide(id, true)
    await fleet.startWorker({ settings })
    const over = await fleet.until(id, ({ stage }) => stage === "completed" || stage === "failed")
    expect(over).toMatchObject({ stage: "completed", result: { ok: true, text: "Done." } })
    rmSync(join(tree, "asked"))
    rmSync(join(tree, "sums"))
    expect(await sh(look, tree)).toBe(before)
    const branch = `codewright/${id.slice(0, 8)}`
    expect(
      await sh(
        `git show ${branch}:loose.txt; git show ${branch}:README.md; git ls-tree --name-only ${branch} asked`,
        source,
      ),
    ).toBe("loose\nhello\nunsaved\nasked\n")
    expect(await sh("git log --format=%s main; git status --short", source)).toBe("base\n")
    expect((await store.trees.get(id))?.files?.place).toBe("database")
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "a repository that is not there is named, and so is a folder",
  async () => {
    await using fleet = await openFleet(scenario())
    await fleet.startWorker()
    const missing = join(fleet.place.path, "missing")
    const rows = [
      [{ git: { url: missing } }, `The repository ${missing} cannot be fetched`],
      [{ git: { url: "ext::sh -c touch% hacked" } }, "is not the address of a repository"],
      [{ path: missing }, `The folder ${missing} does not exist`],
    ] as const
    for (const [workspace, words] of rows) {
      const id = await fleet.create({ opening: { workspace } })
      const { stage, result } = await fleet.until(
        id,
        (session) => session.stage === "failed" || session.stage === "completed",
      )
      expect(stage).toBe("failed")
      expect(result?.text).toContain(words)
    }
  },
  Infinity,
)
