/**
 * Ensures that no child outlives the agent. A small shell, started with the first command, waits on a pipe whose other
 * end only the agent has. However the agent ends, kill -9 included, the kernel closes that end; the shell then ends
 * every process group still on its list, and everything else with the mark in its environment (daemons that left their
 * group), and exits.
 */

import type { Ids } from "#lib/ids.ts"

export interface Watchdog {
  /** A variable in the environment of every child, by which strays are found. */
  readonly mark: { readonly name: string; readonly value: string }
  /** Ensures that the watchdog runs before the child it watches. */
  readonly wake: () => void
  readonly watch: (group: number) => void
  /** Removes a process group from the list, once nothing of it is left. */
  readonly release: (group: number) => void
  /** Closes the pipe; resolves when everything on the list has ended. */
  readonly close: () => Promise<void>
}

export const watchdogShell = "/bin/sh"

export interface WatchdogOptions {
  readonly ids: Ids
  /** A folder that is removed with the agent. */
  readonly scratch: string
}

interface WatchdogProcess {
  readonly pipe: {
    readonly write: (text: string) => unknown
    readonly flush: () => unknown
    readonly end: () => unknown
  }
  readonly exited: Promise<unknown>
}

export function openWatchdog({ ids, scratch }: WatchdogOptions): Watchdog {
  // Ids may repeat where a run is repeated on purpose; two processes must never end each other's children.
  const mark = { name: "CODEWRIGHT_OWNER", value: `${process.pid}-${ids.uuid()}` }
  const groups = new Set<number>()
  let watchdog: WatchdogProcess | undefined

  function start(): WatchdogProcess {
    const child = Bun.spawn([watchdogShell, "-c", script, "codewright-watchdog"], {
      stdio: ["pipe", "ignore", "ignore"],
      // Its own session: what ends a terminal's processes must not end it.
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    })
    child.unref()
    const started: WatchdogProcess = { pipe: child.stdin, exited: child.exited }
    void child.exited.then(() => {
      // Someone killed it: the next command starts another, which gets the whole list.
      if (watchdog === started) watchdog = undefined
    })
    // The first lines tell what to look for and what to remove; passed here, since arguments are visible to all.
    send(started, `${mark.name}=${mark.value}\n${scratch}\n${[...groups].map((group) => `+ ${group}\n`).join("")}`)
    return started
  }

  return {
    mark,
    wake() {
      watchdog ??= start()
    },
    watch(group) {
      groups.add(group)
      if (watchdog === undefined) watchdog = start()
      else send(watchdog, `+ ${group}\n`)
    },
    release(group) {
      groups.delete(group)
      if (watchdog !== undefined) send(watchdog, `- ${group}\n`)
    },
    async close() {
      const last = watchdog
      watchdog = undefined
      if (last === undefined) return
      last.pipe.end()
      // With nothing on the list the shell only looks for strays, and does that without us.
      if (groups.size > 0) await last.exited
    },
  }
}

function send({ pipe }: WatchdogProcess, line: string): void {
  try {
    pipe.write(line)
    pipe.flush()
  } catch {
    // It is gone; its end starts another with the next command.
  }
}

/**
 * Plain POSIX shell, for Linux and macOS. Ends processes gracefully first and, if anything is left, with SIGKILL a
 * second later. Linux keeps the environment of each process under /proc; elsewhere `ps` shows it.
 */
const script = `
trap '' HUP INT QUIT TERM PIPE
IFS= read -r mark || exit 0
IFS= read -r scratch || exit 0
live=' '
while read -r sign group; do
  case $sign in
    +) live="$live$group " ;;
    -) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
strays() {
  if [ -r /proc/self/environ ]; then
    for file in $(grep -lsF -- "$mark" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      echo "\${file%/environ}"
    done
  else
    ps -axEww -o pid=,command= | grep -F -- "$mark" | while read -r pid rest; do
      case $rest in grep*) ;; *) echo "$pid" ;; esac
    done
  fi
}
end() {
  found=
  for group in $live; do kill -"$1" -- -"$group" 2>/dev/null && found=yes; done
  for pid in $(strays); do kill -"$1" "$pid" 2>/dev/null && found=yes; done
  [ -n "$found" ]
}
if end TERM; then
  sleep 1
  end KILL
fi
case $scratch in /*) rm -rf -- "$scratch" ;; esac
`
