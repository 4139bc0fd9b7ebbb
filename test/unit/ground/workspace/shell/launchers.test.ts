import { expect, test } from "bun:test"
import { exactly } from "#ground/workspace/shell/argument.ts"
import { hiddenBehind, isLauncher, isOpaque, runsAnother } from "#ground/workspace/shell/programs/launchers.ts"
import { isWrapper } from "#ground/workspace/shell/programs/wrappers.ts"

const behind = (line: string): readonly string[] =>
  hiddenBehind(line.split(" ").map(exactly)).map((hidden) =>
    hidden.kind === "script" ? hidden.text : hidden.args.map(({ text }) => text).join(" "),
  )

test("every program that runs its words is one for rules and for what lies behind it", () => {
  const names =
    "builtin busybox caffeinate chroot chrt command doas env exec firejail flock gdb ionice ltrace nice noglob nohup npx nsenter numactl parallel perf pkexec proxychains runuser script setarch setpriv setsid stdbuf strace su sudo systemd-run taskset time timeout toybox unbuffer unshare valgrind watch xargs xvfb-run"
  for (const name of names.split(" ")) {
    expect([name, isLauncher(name), runsAnother([name, "rm", "x"])]).toEqual([name, true, true])
    expect([name, behind(`/usr/bin/${name} rm x`)]).toEqual([name, expect.arrayContaining(["rm x"])])
    expect([name, isLauncher(`/usr/bin/${name}`)]).toEqual([name, true])
  }
})

test("what is taken off as a wrapper is known as a launcher", () => {
  for (const name of "builtin command env nice noglob nohup stdbuf time timeout xargs".split(" "))
    expect([name, isWrapper(name), isLauncher(name)]).toEqual([name, true, true])
})

test("texts that shells and other machines run are read", () => {
  expect(behind("bash -lc ls")).toEqual(["ls"])
  expect(behind("ssh host rm x")).toEqual(["rm x"])
  expect(behind("eval rm x")).toEqual(["rm x"])
  expect(behind("trap ls EXIT")).toEqual(["ls EXIT"])
})

test("interpreters are known with the version in their name; a file of their own starts nothing else", () => {
  for (const name of ["python3.12", "php8", "bash", "node", "lua5.4"]) {
    expect([name, isOpaque(name), isLauncher(name)]).toEqual([name, true, false])
    expect([name, runsAnother([name, "app"]), runsAnother([name]), runsAnother([name, "-"])]).toEqual([
      name,
      false,
      true,
      true,
    ])
  }
  expect(isOpaque("xargs2")).toBe(false)
  expect(isOpaque("git")).toBe(false)
})
