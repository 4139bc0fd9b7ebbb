import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openTestShell } from "./open-test-shell.ts"

test("the last folder is told however the command ends", async () => {
  await using t = openTestShell()
  mkdirSync(join(t.folder, "a\nb"))
  expect((await t.run("cd /usr")).cwd).toBe("/usr")
  expect((await t.run("cd /usr; exit 4")).cwd).toBe("/usr")
  expect((await t.run("cd /usr; false")).cwd).toBe("/usr")
  expect((await t.run("set -e; cd /usr; false; cd /")).cwd).toBe("/usr")
  expect((await t.run("(cd /usr)")).cwd).toBe(t.folder)
  expect((await t.run("cd 'a\nb'")).cwd).toBe(join(t.folder, "a\nb"))
  expect((await t.run("set -C -u; PWD=/lie; true")).cwd).toBe(t.folder)
  expect((await t.run("cd /usr; exec true")).cwd).toBeUndefined()
})

test("no command is taken to be where another one was, however many run at once", async () => {
  await using t = openTestShell()
  expect((await t.run("cd /usr/bin")).cwd).toBe("/usr/bin")
  expect((await t.run("cd /; kill -9 $$")).cwd).toBeUndefined()
  expect((await t.run("cd /usr")).cwd).toBe("/usr")
  expect((await t.run("exec true")).cwd).toBeUndefined()
  const folders = ["/", "/usr", "/usr/bin", "/etc"]
  const ran = await Promise.all(folders.map((folder) => t.run(`cd ${folder}; sleep 0.05`)))
  expect(ran.map(({ cwd }) => cwd)).toEqual(folders)
})

test("the command is what was given, whatever is in it", async () => {
  await using t = openTestShell()
  expect((await t.run("echo '\"$(\n`'")).output.text).toBe('"$(\n`\n')
  expect((await t.run('echo $0 $#"$*"')).output.text).toBe("bash 0\n")
  expect((await t.run("cat <<'x'\na $b\nx")).output.text).toBe("a $b\n")
  expect((await t.run("-x")).output.text).toBe("bash: line 1: -x: command not found\n")
  expect(await t.run("trap 'echo bye' EXIT; exit 4")).toMatchObject({ exitCode: 4, output: { text: "bye\n" } })
  expect((await t.run("set -x; echo a")).output.text).toEndWith("echo a\na\n")
})

test("a syntax error is the shell's own message and code", async () => {
  await using t = openTestShell()
  const ran = await t.run("echo a\nif then\n")
  expect(ran.exitCode).toBe(2)
  expect(ran.output.text).toContain("line 2: syntax error near unexpected token `then'")
})

test("commands longer than an argument may be are run as well", async () => {
  await using t = openTestShell()
  const ran = await t.run(`x='${"y".repeat(300_000)}'\necho \${#x}\nexit 5`)
  expect(ran).toMatchObject({ exitCode: 5, output: { text: "300000\n" } })
})

test("start files and variables that change what words mean are left out", async () => {
  await using t = openTestShell()
  const ran = await t.run(
    'echo "[$BASH_ENV][$CDPATH]"; echo $TERM $PAGER $GIT_PAGER $CODEWRIGHT $CLAUDECODE; shopt -q expand_aliases || echo none',
  )
  expect(ran.output.text).toBe("[][]\ndumb cat cat 1 1\nnone\n")
})
