/** What the user does outside while confined commands run, and what is left when the agent is killed. */

import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemIds } from "#lib/ids.ts"
import { buildProgram, canConfine, confinedArgv, openGround, runConfined, users } from "../../kit/escapes.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, use } from "../../kit/script.ts"
import { survivors } from "../../kit/survivors.ts"
import { openTurns } from "../../kit/turns.ts"

const program = canConfine ? await buildProgram() : ""

const turn = openTurns()

describe.skipIf(!canConfine)("a command", () => {
  test.each(turn(users))(
    "git works for the user while a command tries to plant another repository, and runs nothing, as %s",
    async (_name, user) => {
      using ground = await openGround(user)
      // A copy of the repository whose configuration would have git run a program.
      const planting = `cp -r .git evil; printf '[core]\\nfsmonitor = "touch %s/ran; true"\\n' "$PWD" >> evil/config
      echo ready; while [ ! -e stop ]; do echo "$PWD/evil" > .git/commondir; rm -f .git/commondir; mv evil/c .git/commondir; ln -sf ../evil .git/commondir; done 2>/dev/null`
      const child = Bun.spawn([...confinedArgv(program, ground, planting)], { cwd: ground.work, stdout: "pipe" })
      expect(new TextDecoder().decode((await child.stdout.getReader().read()).value)).toBe("ready\n")
      expect(readFileSync(ground.at("work/.git/commondir"), "utf8")).toBe(".")
      const said: string[] = []
      for (let i = 0; i < 10; i++)
        said.push(await ground.outside("git status --short a.txt 2>&1; git log --format=%s 2>&1; echo $?"))
      expect(new Set(said)).toEqual(new Set(["one\n0\n"]))
      writeFileSync(ground.at("work/stop"), "")
      await child.exited
      expect(
        ["ran", ".git/commondir", ".claude", ".codewright"].filter((name) => existsSync(ground.at("work", name))),
      ).toEqual([])
    },
  )

  test.each(turn(users))("what a killed agent left is gone after the next start, as %s", async (_name, user) => {
    using ground = await openGround(user)
    const before = new Set(readdirSync(tmpdir()))
    const left = (): readonly string[] => [
      ...readdirSync(tmpdir()).filter((name) => name.startsWith("codewright-sandbox-") && !before.has(name)),
      ...[".claude", ".codewright", ".git/commondir"].filter((name) => existsSync(ground.at("work", name))),
    ]
    const child = Bun.spawn([...confinedArgv(program, ground, "echo ready; sleep 300")], {
      cwd: ground.work,
      stdout: "pipe",
    })
    await child.stdout.getReader().read()
    child.kill("SIGKILL")
    await child.exited
    expect(left().length).toBe(4)
    expect((await runConfined(program, ground, "echo again")).out).toBe("again\n")
    expect(left()).toEqual([])
  })

  test.each(turn(users))(
    "keys to accounts are not in the environment, unless a setting names them, as %s",
    async (_name, user) => {
      const shows =
        "for n in GITHUB_TOKEN ANTHROPIC_API_KEY AWS_SECRET_ACCESS_KEY OUT; do printenv $n | cut -c1-6; done"
      using usual = await openGround(user)
      // A token with hosts of its own is there as a value that is worth nothing.
      expect((await runConfined(program, usual, shows)).out).toMatch(
        new RegExp(`^(?!SECRET)[A-Za-z0-9]{6}\\n${usual.out.slice(0, 6)}\\n$`),
      )
      using off = await openGround(user, { credentials: "off" })
      expect((await runConfined(program, off, shows)).out).toBe(`${off.out.slice(0, 6)}\n`)
      using named = await openGround(user, { allowEnv: ["GITHUB_TOKEN"] })
      expect((await runConfined(program, named, shows)).out).toBe(`SECRET\n${named.out.slice(0, 6)}\n`)
    },
  )
})

describe.skipIf(!canConfine)("a command", () => {
  test.each(turn(users))(
    "a file with passwords is there with others in their place, and another stays hidden, as %s",
    async (_name, user) => {
      using ground = await openGround(user, { network: { allowedDomains: ["a.test"] } })
      await ground.outside(
        "umask 077; echo 'machine a.test login me password SECRET-netrc-12' > ~/.netrc; echo SECRET > ~/.pypirc; mkdir -p ~/.config/gh; printf 'github.com:\\n    oauth_token: SECRET-gh-token\\n' > ~/.config/gh/hosts.yml; echo SECRET > ~/.config/gh/other",
      )
      const { out } = await runConfined(
        program,
        ground,
        "cat ~/.netrc ~/.config/gh/hosts.yml; cat ~/.pypirc; ls ~/.config/gh; echo x >> ~/.netrc || echo read-only",
      )
      expect(out).toMatch(
        /^machine a\.test login me password \w{15}\ngithub\.com:\n    oauth_token: \w{15}\nhosts\.yml\nread-only\n$/,
      )
      expect(out).not.toContain("SECRET")
    },
  )
})

describe.skipIf(!canConfine)("a session", () => {
  const settings = (sandbox: object) =>
    JSON.stringify({ sandbox: { enabled: true, autoAllowBashIfSandboxed: true, ...sandbox } })

  test("killed, leaves no confined process behind, in the foreground or in the background", async () => {
    using place = openPlace()
    place.write(join(place.state, "settings.json"), settings({}))
    const mark = `sleeper-${systemIds.uuid()}`
    const lasting = (name: string): string =>
      `trap "" HUP INT TERM; echo > ${name}; setsid bash -c "trap '' HUP INT TERM; sleep 300; : ${mark}"`
    const run = await runCodewright({
      place,
      argv: ["-p", "run it"],
      scenario: [calls(use("Bash", { command: lasting("one"), run_in_background: true })), calls(bash(lasting("two")))],
      async during({ kill }) {
        while (!["one", "two"].every((name) => existsSync(join(place.work, name)))) await Bun.sleep(10)
        kill("SIGKILL")
      },
    })
    expect(run.code).not.toBe(0)
    expect(await survivors(mark)).toEqual([])
  })

  /** Nobody may make user namespaces. */
  const without = `exec bwrap --unshare-user --uid 0 --gid 0 --cap-add ALL --dev-bind / / /bin/sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"' sh "$@"`

  test("with failIfUnavailable does not start where the sandbox does not work, and says why", async () => {
    using place = openPlace()
    place.write(join(place.state, "settings.json"), settings({ failIfUnavailable: true }))
    const run = await runCodewright({ place, argv: ["-p", "hello"], scenario: ["hi"], wrap: without })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    expect(run.stderr).toMatch(/^error: The sandbox does not work here, and sandbox\.failIfUnavailable is on: .+/)
  })

  test("with failIfUnavailable starts where the sandbox works; without it, it starts anyway", async () => {
    using place = openPlace()
    place.write(join(place.state, "settings.json"), settings({ failIfUnavailable: true }))
    expect(await runCodewright({ place, argv: ["-p", "hello"], scenario: ["hi"] })).toMatchObject({
      code: 0,
      stdout: "hi\n",
    })
    place.write(join(place.state, "settings.json"), settings({}))
    const run = await runCodewright({ place, argv: ["-p", "hello"], scenario: ["hi"], wrap: without })
    expect(run).toMatchObject({ code: 0, stdout: "hi\n" })
  })
})
