import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Clock, systemClock } from "#lib/clock.ts"
import { openTestShell, type TestShell, type TestShellOptions } from "./open-test-shell.ts"

const { signal } = new AbortController()
const ownPath = "/usr/local/bin:/usr/bin:/bin"

/** A person with a profile, who sits at one of the shells of this machine. */
function person(file: string, profile: { readonly [name: string]: string }, more: TestShellOptions = {}): TestShell {
  return openTestShell({
    ...more,
    snapshot(home) {
      for (const [name, text] of Object.entries(profile)) writeFileSync(join(home, name), text)
      return { file, env: () => ({ PATH: ownPath, HOME: "/nowhere" }) }
    },
  })
}

const say = async (t: TestShell, command: string): Promise<string> => (await t.run(command)).output.text

const profileOf: { readonly [shell: string]: string } = {
  "/bin/bash": ".bashrc",
  "/bin/zsh": ".zshrc",
  "/usr/bin/zsh": ".zshrc",
}
const shells = Object.keys(profileOf).filter((path) => existsSync(path))

test.each(shells)("functions, aliases, options and PATH of %s are there in each command", async (shell) => {
  await using t = person(shell, {
    [profileOf[shell] ?? ""]: `
echo noise; echo more noise >&2
greet() { echo "hello $1"; }
_hidden() { :; }
alias say="greet 'it''s'"
alias ll='ls -l'
alias rm='rm -i'
set -o noclobber
export PATH="$HOME/tools:$PATH"
`,
  })
  expect(await say(t, "greet you; say")).toBe("hello you\nhello its\n")
  expect(await say(t, "alias rm; type _hidden; alias ll")).toContain("alias ll='ls -l'")
  expect(await say(t, "type _hidden rm 2>&1")).not.toContain("rm -i")
  expect(await say(t, "echo x > f; echo y > f; cat f")).toContain("cannot overwrite existing file")
  const path = (await say(t, 'echo "$PATH"')).trim().split(":")
  expect(path).toContain(join(t.folder, "tools"))
  expect(path.at(-1)).toBe("/bin")
  expect((await t.run("cd /usr")).cwd).toBe("/usr")
})

test("a profile that leaves .bashrc to others, and one that reads it, give the same", async () => {
  for (const profile of ["", "export A=1\n", '. "$HOME/.bashrc"\n']) {
    await using t = person("/bin/bash", {
      ".profile": profile,
      ".bashrc": 'n=${n}x; f() { echo there; }\neval "$(declare -f f)"; alias many="echo $n"\n',
    })
    expect(await say(t, "f; many")).toBe("there\nx\n")
  }
})

test("functions that bash cannot read are left out, the others stay", async () => {
  const odd = "shopt -s extglob\nodd() { case $1 in !(a)) echo not a ;; esac; }\nplain() { echo plain; }\n"
  await using open = person("/bin/bash", { ".bashrc": odd })
  expect(await say(open, "plain; odd b; ls -d /us!(x)")).toBe("plain\nnot a\n/usr\n")
  await using without = person("/bin/bash", { ".bashrc": `${odd}shopt -u extglob\n` })
  expect(await say(without, "plain")).toBe("plain\n")
  expect((await without.run("type odd")).exitCode).toBe(1)
})

test("nothing of the project is read, and no shell from it is run", async () => {
  await using t = person("/bin/bash", { ".bashrc": 'where=$(pwd); alias where="echo $where"\n' })
  expect(await say(t, "where")).toBe(`${t.folder}\n`)
  const inside = openTestShell({
    snapshot(home) {
      mkdirSync(join(home, "project"))
      writeFileSync(join(home, "project/bash"), `#!/bin/sh\ntouch ${home}/ran\n`, { mode: 0o755 })
      return { file: join(home, "project/bash"), env: () => ({}) }
    },
  })
  await inside.run("true")
  expect(existsSync(join(inside.folder, "ran"))).toBe(false)
  await inside[Symbol.asyncDispose]()
})

test("what someone writes into the file between two commands is not believed", async () => {
  await using t = person("/bin/bash", { ".bashrc": "f() { echo ours; }\n" })
  expect(await say(t, "f")).toBe("ours\n")
  const scratch = join(t.folder, "scratch")
  const file = readdirSync(scratch).find((name) => name.startsWith("profile-")) ?? ""
  writeFileSync(join(scratch, file), "f() { echo theirs; }\n")
  expect(await say(t, "f")).toBe("ours\n")
  for (const name of readdirSync(scratch)) if (name.startsWith("profile-")) rmSync(join(scratch, name))
  expect(await say(t, "f")).toBe("ours\n")
})

test("a profile that goes away is told of once, and commands run without it", async () => {
  await using t = person("/bin/bash", { ".bashrc": "f() { :; }\necho some trouble >&2\nexit 4\n" })
  const first = await t.run("echo works")
  expect(first.output.text).toBe("works\n")
  expect(first.note).toBe(
    "The profile of /bin/bash was left out: it ended before its end with exit code 4 (some trouble). Commands run without its functions, aliases and PATH.",
  )
  expect((await t.run("type f")).note).toBeUndefined()
})

test("a profile that takes too long is ended, told of once, and left out", async () => {
  // The ten seconds it has are over at once.
  const clock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms === 10_000 ? 50 : ms, callback) }
  await using t = person("/bin/bash", { ".bashrc": "trap '' TERM; sleep 1000\n" }, { clock })
  const first = await t.run("echo works")
  expect(first).toMatchObject({ output: { text: "works\n" } })
  expect(first.note).toContain("was left out: it took longer than 10 s.")
  expect((await t.run("true")).note).toBeUndefined()
})

test("a profile that waits for input gets none", async () => {
  await using t = person("/bin/bash", { ".bashrc": "read -r answer || f() { echo no answer; }\n" })
  expect(await say(t, "f")).toBe("no answer\n")
})

test("it is made once, ahead of the first command when that is known to come; an abort does not wait for it", async () => {
  await using t = person("/bin/bash", {
    ".bashrc": 'echo x >> "$HOME/count"; while [ ! -e "$HOME/go" ]; do sleep 0.02; done\n',
  })
  t.shell.warm()
  const abort = new AbortController()
  const limits = { characters: 100, fileBytes: 100 }
  const waiting = t.shell.run({ command: "touch made", cwd: t.folder, timeoutMs: 1000, signal: abort.signal, limits })
  abort.abort()
  expect(await waiting).toEqual({ ok: false, failure: { kind: "aborted" } })
  writeFileSync(join(t.folder, "go"), "")
  await Promise.all([t.run("true"), t.run("true"), t.shell.start({ command: "true", cwd: t.folder, signal, limits })])
  expect(await say(t, "cat count; ls made 2>&1")).toStartWith("x\nls: ")
})

test("closing does not wait for a profile", async () => {
  const t = person("/bin/bash", { ".bashrc": "sleep 1000\n" })
  t.shell.warm()
  await t[Symbol.asyncDispose]()
})

test("the env file is read before each command, as it is then, if it is there", async () => {
  const folder = openTestShell()
  const envFile = join(folder.folder, "env.sh")
  await using t = openTestShell({ envFile })
  expect(await say(t, 'echo "[$TOKEN]"')).toBe("[]\n")
  writeFileSync(envFile, "export TOKEN=one\nf() { echo from the file; }\n")
  expect(await say(t, "sh -c 'echo $TOKEN'; f; echo $#")).toBe("one\nfrom the file\n0\n")
  writeFileSync(envFile, "export TOKEN=two\n")
  expect(await say(t, "echo $TOKEN")).toBe("two\n")
  const limits = { characters: 100, fileBytes: 100 }
  const started = await t.shell.start({ command: "echo $TOKEN", cwd: t.folder, signal, limits })
  if (!started.ok) throw new Error("not started")
  await t.background.wait("bash_1", 60_000, signal)
  expect(await t.background.news("bash_1", { characters: 100, signal })).toMatchObject({
    value: { output: { text: "two\n" } },
  })
  await folder[Symbol.asyncDispose]()
})
