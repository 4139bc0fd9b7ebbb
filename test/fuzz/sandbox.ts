/** A project in a sandbox without network, in which commands are really run and every trace of a change is found. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"

/** What a batch of commands changed; empty when nothing. */
export interface Traces {
  readonly changed: readonly string[]
  /** Programs that ran and should not have. */
  readonly ran: readonly string[]
}

/** What bwrap is given: everything readable, nothing writable but memory, no network, no sockets of the machine. */
function sandboxArgv(exchange: string): readonly string[] {
  return [
    Bun.which("bwrap") ?? "bwrap",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/home",
    "--tmpfs",
    "/tmp",
    "--tmpfs",
    "/run",
    "--tmpfs",
    "/mnt",
    "--bind",
    exchange,
    "/mnt/exchange",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--dir",
    "/home/dev/project",
    "--chdir",
    "/home/dev/project",
  ]
}

/** Runs each command in a shell of its own and tells what the whole batch left behind; slow programs may be left out. */
export async function runAll(commands: readonly string[], slow: "run" | "leave out"): Promise<Traces> {
  const exchange = mkdtempSync(join(tmpdir(), "codewright-fuzz-"))
  try {
    writeFileSync(join(exchange, "commands"), commands.map((command) => `${command}\0`).join(""))
    mkdirSync(join(exchange, "traces"))
    const env = readOnlyEnvironment({
      HOME: "/home/dev",
      PATH: "/tmp/traps:/usr/bin:/bin",
      LANG: "C.UTF-8",
      PWD: "/home/dev/project",
      NPM_CONFIG_FETCH_RETRIES: "0",
    })
    const child = Bun.spawn(
      [
        ...sandboxArgv(exchange),
        "/bin/bash",
        "--noprofile",
        "--norc",
        "-c",
        script,
        "bash",
        slow === "run" ? "all" : "quick",
      ],
      {
        env,
        stdin: "ignore",
        stdout: "ignore",
        stderr: "pipe",
      },
    )
    const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
    if (code !== 0) throw new Error(`The sandbox ended with ${code}: ${said}`)
    const read = (name: string): readonly string[] =>
      readFileSync(join(exchange, "traces", name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
    return { changed: difference(read("before"), read("after")), ran: read("ran") }
  } finally {
    rmSync(exchange, { recursive: true, force: true })
  }
}

function difference(before: readonly string[], after: readonly string[]): readonly string[] {
  const [old, now] = [new Set(before), new Set(after)]
  return [
    ...before.filter((line) => !now.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !old.has(line)).map((line) => `+ ${line}`),
  ]
}

/** Programs that nothing read-only starts, but for their version or to look at the grammar of a script; each leaves a note. */
const traps =
  "rm sh bash dash zsh cp mv touch mkdir rmdir chmod chown ln dd truncate shred ssh scp sudo vim vi nano evil kill pkill install unlink patch"

/** The index is compared by what is in it: git may note there when it last looked at a file. */
const script = String.raw`
umask 022
mkdir -p /tmp/traps src logs sub/.git 'dir with space' "$HOME/.ssh" "$HOME/.npm"
for name in ${traps}; do printf '#!/bin/dash\ncase "$1" in --version|--help|-V|-n) exit 0;; esac\necho %s >> /mnt/exchange/traces/ran\n' "$name" > "/tmp/traps/$name"; done
[ "$1" = quick ] && for name in sleep npm pip pip3 gh docker; do printf '#!/bin/dash\nexit 0\n' > "/tmp/traps/$name"; done
for name in ./evil ./ls ./cat ./git ./sort src/evil; do printf '#!/bin/dash\necho %s >> /mnt/exchange/traces/ran\n' "$name" > "$name"; done
/usr/bin/chmod +x /tmp/traps/* ./evil ./ls ./cat ./git ./sort src/evil
: > /mnt/exchange/traces/ran
for name in a.txt b.txt c.txt a b c x y z.txt names.txt README.md package.json src/main.ts src/other.ts logs/app.log notes.md list.txt data.bin old.txt new.txt; do printf 'one\ntwo\nthree\n' > "$name"; done
for name in ./-o ./--output=z ./-delete ./-exec './a b' './x;touch z' ./-rf ./--pre=evil './$(touch z)' ./-la.ts; do printf 'text\n' > "$name"; done
printf 'secret\n' > "$HOME/.ssh/id_rsa"
export GIT_CONFIG_NOSYSTEM=1
/usr/bin/git init -q . && /usr/bin/git -c user.name=n -c user.email=e@x add a.txt src && /usr/bin/git -c user.name=n -c user.email=e@x -c core.hooksPath=/dev/null commit -q -m one
printf 'four\n' >> a.txt
trace() { { GIT_OPTIONAL_LOCKS=0 /usr/bin/git ls-files -s -v -t; find /home \( -path /home/dev/.npm -o -path /home/dev/project/.git/index \) -prune -o ! -path /home/dev/project/.git -printf '%y %p %s %m %T@ %l\n'; find /home \( -path /home/dev/.npm -o -path /home/dev/project/.git/index \) -prune -o -type f -exec sha256sum {} +; } | LC_ALL=C sort > "/mnt/exchange/traces/$1"; }
trace before
while IFS= read -r -d '' command; do
  ( ulimit -t 2; trap - EXIT; eval -- "$command" ) </dev/null >/dev/null 2>&1
done < /mnt/exchange/commands 2>/dev/null
wait
trace after
exit 0
`
