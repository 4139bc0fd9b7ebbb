/** The sandbox's helper, run for real: under bubblewrap, as root and as an ordinary user. */

import { chmodSync, copyFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { lastingFolder } from "./tmp.ts"

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Somebody to run programs as. */
export interface Somebody {
  readonly name: string
  /** What comes before a command line to run it as this user. */
  readonly become: readonly string[]
  /** Who owns their files, if it is not the user the tests run as. */
  readonly owner?: number
}

/** The same for everyone: a shell or Python that misses a variable asks the user database, through a socket that would be reported. */
const plain = ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/tmp", "SHELL=/bin/sh"]

const nobody: Somebody = {
  name: "an ordinary user",
  become: ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", ...plain],
  owner: 65534,
}

/** Root tries everything twice; whoever is not root can only be themselves. */
export const everybody: readonly Somebody[] =
  process.getuid?.() === 0 ? [{ name: "root", become: plain }, nobody] : [{ name: "the user", become: plain }]

/** A copy of the helper where every user can execute it. */
export async function reachableConfine(): Promise<string> {
  const folder = lastingFolder()
  chmodSync(folder, 0o755)
  const from = await confinePath({ cacheFolder: folder, pid: process.pid })
  if (from === undefined) throw new Error("there is no confine for this machine")
  const path = join(folder, "confine")
  copyFileSync(from, path)
  chmodSync(path, 0o755)
  return path
}

/** What bubblewrap is told, before the program: the disk can be read, the rest is as in the product. */
export const walls: readonly string[] = (
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --die-with-parent --cap-drop ALL " +
  "--ro-bind / / --proc /proc --ro-bind /proc/sys /proc/sys --dev /dev"
).split(" ")

export const bwrap: string | null = Bun.which("bwrap")

export async function ended(argv: readonly string[], options: { readonly stdin?: string } = {}): Promise<Ended> {
  const stdin = options.stdin === undefined ? "ignore" : new TextEncoder().encode(options.stdin)
  const child = Bun.spawn([...argv], { cwd: "/", stdin, stdout: "pipe", stderr: "pipe" })
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code, out, err }
}

/** Runs system calls by number and gives what each came to: `ok`, or the name of its error. */
export async function attempted(
  start: readonly string[],
  calls: Readonly<Record<string, readonly [x64: number, arm64: number, ...args: readonly (number | string)[]]>>,
): Promise<Readonly<Record<string, string>>> {
  const column = process.arch === "x64" ? 0 : 1
  // A text among the arguments is a piece of Perl, such as a buffer; each call has a process of its own.
  const lines = Object.entries(calls).map(
    ([name, call]) =>
      `attempt('${name}', ${call[column]}${call
        .slice(2)
        .map((arg) => `, ${arg}`)
        .join("")});`,
  )
  const script = `
    use Errno; $| = 1;
    sub attempt {
      my ($name, $number, @args) = @_;
      if (my $child = fork) { waitpid $child, 0; print "$name: killed by signal ", $? & 127, "\\n" if $? & 127; return }
      $! = 0;
      my $result = syscall($number, @args);
      my $error = $! + 0;
      my ($code) = grep { &{"Errno::$_"}() == $error } grep { /^E/ } keys %!;
      print "$name: ", ($result < 0 ? $code : "ok"), "\\n";
      exit;
    }
    my $buffer = "\\0" x 256;
    ${lines.join("\n    ")}`
  const { code, out, err } = await ended([...start, "/usr/bin/perl", "-e", script])
  if (code !== 0) throw new Error(`the probe failed with ${code}: ${err}`)
  return Object.fromEntries(
    out
      .trim()
      .split("\n")
      .map((line) => line.split(": ", 2) as [string, string]),
  )
}
