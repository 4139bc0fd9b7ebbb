/**
 * An operator who wants to be admin. Any interpreter read the server's token and keys from disk, and `/proc/<pid>/environ` showed what the
 * server was started with; an operator only had to allow the command. Now nothing that a session of theirs runs, reads or writes gets there.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioBlock, ScenarioFunction } from "#sim/scenario.ts"
import { bwrap, everybody } from "../kit/confine.ts"
import { openServed, type Served } from "../kit/fleet/served.ts"
import { program } from "../kit/run-codewright.ts"
import { bash, calls, edit, read, says, use, write } from "../kit/script.ts"

const key = "sk-the-key-that-nobody-may-see"
const inSettings = "a-secret-in-the-settings"
const kept = "a-key-that-was-saved"
const inFile = "a-password-in-a-file"
/** Secrets that the settings say the place of. */
const named = {
  openid: "the-openid-secret",
  forge: "the-forge-token",
  hook: "the-hook-secret",
  database: "the-pg-word",
}
const namedFiles = ["openid", "forge", "database"] as const

/** All in one reply, so that the operator allows them together. */
const attempts = (
  { home, work, state }: Pick<Served, "home" | "work" | "state">,
  pid: number,
): readonly ScenarioBlock[] => [
  bash(
    `python3 -c "import glob;[print(open(p).read()) for p in glob.glob('${home}/.code*/*-t*')+glob.glob('${home}/.code*/*.json')]"`,
  ),
  bash(
    `node -e "const f=require('fs');for(const n of f.readdirSync('${state}'))try{console.log(f.readFileSync('${state}/'+n,'utf8'))}catch{}"`,
  ),
  bash(`perl -e 'for (glob("${home}/.code*/*")) { open F, $_; print <F> }'`),
  bash(`cd ${home} && tar cf - .codewright | strings`),
  bash(`ln -s ${home} a && ln -s a/.codewright b; python3 -c "print(open('b/settings.json').read())"; cat b/key.json`),
  bash("cat /proc/*/environ /proc/*/cmdline /proc/*/task/*/environ | tr '\\0' '\\n'"),
  bash(
    `python3 -c "print(open('/proc/${pid}/environ').read())"; cat /proc/${pid}/root${state}/settings.json; ls -l /proc/${pid}/fd`,
  ),
  bash(`gdb -p ${pid} -batch -ex bt; python3 -c "open('/proc/${pid}/mem','rb')"`),
  bash(`python3 -c "import os;os.kill(${pid},0)"`),
  bash(`cat ${home}/db.env; cat /proc/self/root${home}/db.env`),
  bash(`cat ${home}/etc/*; python3 -c "import glob;[print(open(p).read()) for p in glob.glob('${home}/etc/*')]"; env`),
  ...namedFiles.map((name) => read(`${home}/etc/${name}`)),
  use("Grep", { pattern: "the-", path: `${home}/etc`, output_mode: "content" }),
  use("Bash", { command: `cat ${state}/settings.json`, dangerouslyDisableSandbox: true }),
  use("Bash", {
    command: `python3 -c "print(open('${state}/settings.json').read())"`,
    dangerouslyDisableSandbox: true,
  }),
  bash(`echo '{"server":{"allowOperatorsOutsideSandbox":true}}' > ${state}/settings.json; echo x >> ${home}/.profile`),
  read(`${state}/settings.json`),
  read(`${state}/server-token`),
  read(`${home}/db.env`),
  read("/proc/self/environ"),
  read(`/proc/${pid}/environ`),
  read(`${work}/settings-link`),
  use("Grep", { pattern: "sk-|secret|saved", path: home, output_mode: "content" }),
  use("Grep", { pattern: "sk-", path: "/proc/self", output_mode: "content" }),
  write(`${state}/settings.json`, '{"server":{"allowOperatorsOutsideSandbox":true}}'),
  write(`${home}/.profile`, "cp ~/.codewright/settings.json /tmp"),
  write(`${work}/.git/config`, "[core]\n\tfsmonitor = cat ~/.codewright/settings.json\n"),
  write(`${work}/.git/hooks/post-checkout`, "cat ~/.codewright/settings.json\n"),
  edit(`${work}/.codewright/settings.json`, "{}", '{"sandbox":{"enabled":false}}'),
]

/** Work that an operator's session is for. */
const harmless = ({ work, home }: Pick<Served, "work" | "home">): readonly ScenarioBlock[] => [
  // What is hidden is hidden there, and not because of where the test is.
  bash(`ls -A ${home}; cat ${home}/notes.txt`),
  bash("python3 -c 'print(6*7)'"),
  bash("head -c 9 /proc/cpuinfo"),
  bash("node -e 'console.log(\"from node\")'"),
  bash("echo made > made.txt && cat made.txt && git status --short made.txt"),
  write(`${work}/written.txt`, "written"),
  read("/etc/os-release"),
]

for (const somebody of everybody)
  describe(`a server of ${somebody.name}`, () => {
    const secrets = [key, inSettings, kept, inFile, ...Object.values(named)]
    const place: Parameters<typeof openServed>[1] = {
      as: somebody,
      // Of the two of them, root has the embedded one by day.
      ...(somebody.owner !== undefined && { database: "any" }),
      env: { ANTHROPIC_API_KEY: key, ACME_HOOK: named.hook },
      flags: (home) => ["--secrets", join(home, "db.env")],
      settings: {
        env: { SOME_KEY: inSettings },
        server: {
          openid: {
            issuer: "http://127.0.0.1:1",
            clientId: "codewright",
            clientSecretFile: "~/etc/openid",
            roles: { admin: ["*"] },
          },
          forges: [{ host: "git.example", kind: "gitea", tokenFile: "~/etc/forge" }],
          webhooks: [{ url: "https://127.0.0.1:1/", secretEnv: "ACME_HOOK" }],
          database: { passwordFile: "~/etc/database" },
        },
      },
      prepare({ home, work, state }) {
        writeFileSync(join(state, "key.json"), JSON.stringify({ key: kept }), { mode: 0o644 })
        writeFileSync(join(home, "db.env"), `CODEWRIGHT_WEBHOOK_SECRET=${inFile}\n`, { mode: 0o600 })
        if (somebody.owner !== undefined) Bun.spawnSync(["chown", String(somebody.owner), join(home, "db.env")])
        mkdirSync(join(home, "etc"))
        for (const name of namedFiles) writeFileSync(join(home, "etc", name), `${named[name]}\n`, { mode: 0o644 })
        writeFileSync(join(home, "notes.txt"), "nothing secret\n")
        mkdirSync(join(work, ".codewright"))
        writeFileSync(join(work, ".codewright/settings.json"), "{}")
        Bun.spawnSync(["ln", "-s", join(state, "settings.json"), join(work, "settings-link")])
        Bun.spawnSync(["git", "init", "-q", work])
        if (somebody.owner !== undefined) Bun.spawnSync(["chown", "-R", `${somebody.owner}`, work])
      },
    }
    let tried: readonly ScenarioBlock[] = []
    let fine: readonly ScenarioBlock[] = []
    let server: Served
    beforeAll(async () => {
      server = await openServed(({ messages }) => {
        const text = JSON.stringify(messages)
        const turns = text.split('"tool_result"').length - 1
        if (turns === 0 && !text.includes("Say something")) return calls(...tried)
        return turns > 0 && turns === tried.length ? calls(...fine) : says("Done.")
      }, place)
      tried = attempts(server, server.pid)
      fine = harmless(server)
    }, 300_000)
    afterAll(() => server[Symbol.asyncDispose]())

    test("nothing that an operator's session runs, reads or writes leads to its secrets", async () => {
      const operator = await server.invite("operator")
      const before = readFileSync(join(server.state, "settings.json"), "utf8")
      const prompt = `Look at @/proc/self/environ and @${server.state}/settings.json and @${server.work}/settings-link`
      const session = await server.run(operator, prompt)
      const said = JSON.stringify(server.simulator.requests)
      expect(secrets.filter((secret) => said.includes(secret))).toEqual([])
      expect(session).toMatchObject({ stage: "completed", result: { ok: true, text: "Done." } })
      expect(readFileSync(join(server.state, "settings.json"), "utf8")).toBe(before)
      expect(existsSync(join(server.home, ".profile"))).toBe(false)
      expect(readFileSync(join(server.work, ".git/config"), "utf8")).not.toContain("fsmonitor")
      const answers = resultsIn(server.simulator.requests.at(-1)?.body as JsonObject)
      expect(answers.slice(-fine.length)).toEqual([
        expect.stringMatching(/\.codewright\n(?:.*\n)*nothing secret$/) as string,
        "42",
        "processor",
        "from node",
        "made\n?? made.txt",
        expect.stringContaining("written.txt") as string,
        expect.stringContaining("NAME=") as string,
      ])
    }, 300_000)

    test("another program of the same user does not find the keys in its process, and no file has a token", async () => {
      const asThem = (...argv: readonly string[]): string => {
        const { stdout, stderr } = Bun.spawnSync([...somebody.become, ...argv])
        return `${stdout.toString()}${stderr.toString()}`
      }
      const seen = asThem("cat", `/proc/${server.pid}/environ`)
      expect(seen).toContain(somebody.name === "root" ? `HOME=${server.home}` : "Permission denied")
      expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
      if (somebody.name !== "root")
        expect(asThem("python3", "-c", `open('/proc/${server.pid}/mem','rb')`)).toContain("Permission denied")
      // It is used all the same.
      expect(await server.run(server.token, "Say something")).toMatchObject({ stage: "completed" })
      const file = join(server.state, "server-token")
      const serve = [program, "serve", "token"]
      const made = Bun.spawnSync([
        ...somebody.become,
        "/usr/bin/env",
        "-i",
        `HOME=${server.home}`,
        "PATH=/usr/bin:/bin",
        ...serve,
      ])
      const token = made.stdout.toString().trim()
      expect(token).toMatch(/^[0-9a-f]{64}$/)
      expect(await server.ask(token, "GET", "/api/me")).toEqual({ status: 200, name: "ann", role: "admin" })
      expect([readFileSync(file, "utf8").includes(token), statSync(file).mode & 0o777]).toEqual([false, 0o600])
      for (const word of readFileSync(file, "utf8")
        .split(/\s+/)
        .filter((each) => each.length > 20))
        expect((await server.ask(word, "GET", "/api/me"))["status"]).toBe(401)
    }, 300_000)

    test("where nothing can be confined, an operator's session is refused and says why; an admin's is not", async () => {
      const touch: ScenarioFunction = ({ messages }) =>
        JSON.stringify(messages).includes("tool_result") ? says("Done.") : calls(bash("touch made.txt"))
      const alone = `${bwrap} --die-with-parent --unshare-user --uid 0 --gid 0 --cap-add ALL --dev-bind / /`.split(" ")
      const unwalled = [...alone, "/bin/sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh"]
      const without = { as: { ...somebody, become: [...somebody.become, ...unwalled] }, database: "any" } as const
      await using closed = await openServed(touch, without)
      const operator = await closed.invite("operator")
      expect(await closed.run(operator, "Make it")).toMatchObject({
        stage: "failed",
        result: { text: expect.stringContaining("server.allowOperatorsOutsideSandbox") as string },
      })
      expect(existsSync(join(closed.work, "made.txt"))).toBe(false)
      expect(await closed.run(closed.token, "Make it")).toMatchObject({ stage: "completed" })
      expect(existsSync(join(closed.work, "made.txt"))).toBe(true)
      expect(closed.stderr()).toContain("so sessions of operators are refused")
      await using open = await openServed(touch, {
        ...without,
        settings: { server: { allowOperatorsOutsideSandbox: true } },
      })
      expect(await open.run(await open.invite("operator"), "Make it")).toMatchObject({ stage: "completed" })
      expect(existsSync(join(open.work, "made.txt"))).toBe(true)
    }, 300_000)
  })

const resultsIn = ({ messages }: JsonObject): readonly string[] =>
  (messages as readonly JsonObject[]).flatMap(({ content }) =>
    Array.isArray(content)
      ? (content as readonly JsonObject[]).flatMap((block) => (block["type"] === "tool_result" ? [textIn(block)] : []))
      : [],
  )

const textIn = ({ content }: JsonObject): string =>
  typeof content === "string" ? content : (content as readonly JsonObject[]).map(({ text }) => String(text)).join("\n")
