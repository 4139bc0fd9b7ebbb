/** `confine box`: how it starts, ends and fails, as root and as an ordinary user. What it keeps apart is in makers.test.ts. */

import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { bwrap, ended, everybody, reachableConfine, walls } from "../../../kit/confine.ts"
import { isRunning } from "../../../kit/is-running.ts"
import { survivors } from "../../../kit/survivors.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const works = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0
const confine = works ? await reachableConfine() : ""
const isRoot = process.getuid?.() === 0

describe.skipIf(!works).each(everybody.map((user) => [user.name, user] as const))(
  "a box as %s",
  (_name, { become }) => {
    const box = (...argv: readonly string[]) => ended([...become, confine, "box", ...argv])
    const sh = (script: string): readonly string[] => ["--", "/bin/sh", "-c", script]

    test("ends as its program ends", async () => {
      using folder = temporaryFolder()
      chmodSync(folder.path, 0o755)
      writeFileSync(folder.join("report"), "")
      chmodSync(folder.join("report"), 0o666)
      const watched = (...argv: readonly string[]) => box("--report", folder.join("report"), ...argv)
      expect(await watched(...sh("echo out; echo err >&2; exit 7"))).toEqual({ code: 7, out: "out\n", err: "err\n" })
      expect((await watched(...sh("kill -9 $$"))).code).toBe(137)
      expect((await watched(...sh("kill -TERM $$"))).code).toBe(143)
      // Whoever starts it may ignore how children end.
      const ignoring = ["/usr/bin/perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV", confine, "box"]
      expect((await ended([...become, ...ignoring, ...sh("exit 5")])).code).toBe(5)
      expect(await watched("--", "/nowhere/at/all")).toMatchObject({ code: 127, out: "" })
      expect(readFileSync(folder.join("report"), "utf8")).toBe('{"kind":"started"}\n'.repeat(4))
    })

    test("has nothing open but three descriptors, and the user is still who they are", async () => {
      const { out } = await box(...sh("ls /proc/self/fd | wc -l; id -u"))
      const { out: outside } = await ended([...become, "/usr/bin/id", "-u"])
      // The listing itself opens the fourth.
      expect(out).toBe(`4\n${outside}`)
    })

    test("when it has ended, nobody that its program started is left, and nobody in its group", async () => {
      using folder = temporaryFolder()
      chmodSync(folder.path, 0o755)
      writeFileSync(folder.join("report"), "")
      chmodSync(folder.join("report"), 0o666)
      const mark = `box-${crypto.randomUUID()}`
      const left = `setsid sh -c "sleep 300; : ${mark}" &`
      const argv = [...become, confine, "box", "--report", folder.join("report")]
      for (const script of Array.from({ length: 20 }, (_, i) => (i % 2 ? "exit 3" : `${left} exit 3`))) {
        const child = Bun.spawn([...argv, ...sh(script)], { stdio: ["ignore", "ignore", "ignore"], detached: true })
        expect(await child.exited).toBe(3)
        expect(runningNow(mark)).toEqual([])
        expect(() => process.kill(-child.pid, 0)).toThrow("ESRCH")
      }
    })

    test("its program ends with it, whatever it ignores and wherever it went", async () => {
      const mark = `box-${crypto.randomUUID()}`
      using folder = temporaryFolder()
      chmodSync(folder.path, 0o777)
      const script = `trap '' HUP INT TERM; touch ready; setsid sh -c "sleep 300; : ${mark}" & sleep 300`
      const options = ["--writable", folder.path, folder.path, "--chdir", folder.path]
      const child = Bun.spawn([...become, confine, "box", ...options, ...sh(script)], {
        stdio: ["ignore", "ignore", "ignore"],
      })
      while (!existsSync(folder.join("ready"))) await Bun.sleep(5)
      child.kill("SIGKILL")
      while (isRunning(child.pid)) await Bun.sleep(5)
      expect(await survivors(mark)).toEqual([])
    })

    test("what is laid over what: writable, readable, sealed and empty, each later one on top", async () => {
      using folder = temporaryFolder()
      chmodSync(folder.path, 0o777)
      for (const name of ["w", "w/held", "w/secret", "w/hollow", "w/hollow/deep"]) {
        mkdirSync(folder.join(name))
        chmodSync(folder.join(name), 0o777)
      }
      for (const name of ["w/held/file", "w/secret/file", "w/hollow/file", "w/hollow/deep/file"]) {
        writeFileSync(folder.join(name), "old\n")
        chmodSync(folder.join(name), 0o666)
      }
      mkdirSync(folder.join("sealed"), { mode: 0 })
      const at = (name: string): readonly string[] => [folder.join(name), folder.join(name)]
      const options = [
        ["--writable", ...at("w"), "--readable", ...at("w/held")],
        ["--sealed", folder.join("sealed"), folder.join("w/secret")],
        ["--empty", folder.join("w/hollow"), "--writable", ...at("w/hollow/deep")],
        ["--readable", folder.join("gone"), folder.join("w/gone"), "--chdir", folder.join("w")],
      ].flat()
      const { out } = await box(
        ...options,
        ...sh(`for f in new held/file secret/file hollow/file hollow/deep/file gone/file; do
        { echo new > $f; } 2>/dev/null && printf 'w '; cat $f 2>/dev/null || echo none; done; ls -A hollow`),
      )
      expect(out).toBe("w new\nold\nnone\nnone\nw new\nnone\ndeep\n")
      expect(readFileSync(folder.join("w/secret/file"), "utf8")).toBe("old\n")
    })

    test("what goes wrong is said, and the program does not run", async () => {
      const failure = async (...argv: readonly string[]) => (await box(...argv, ...sh("echo ran"))).err
      expect(await failure("--chdir", "/nowhere")).toBe("confine: cannot enter /nowhere: no such file or directory\n")
      expect(await failure("--sealed", "/nowhere", "/etc")).toBe(
        "confine: cannot take /nowhere: no such file or directory\n",
      )
      expect(await failure("--readable", "/etc", "/nowhere")).toBe(
        "confine: cannot find a place for /nowhere: read-only file system\n",
      )
      expect(await failure("--other")).toBe("confine: unknown option --other\n")
      expect(await failure("--join", "x")).toBe("confine: --join: not a number: x\n")
      expect(await failure("--report", "/nowhere/report")).toBe(
        "confine: cannot open the report /nowhere/report: no such file or directory\n",
      )
      const many = Array.from({ length: 513 }, () => ["--readable", "/etc", "/etc"]).flat()
      expect(await failure(...many)).toBe("confine: more mounts than confine can keep\n")
      const none = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
      const forbidden = [bwrap ?? "", ..."--unshare-user --uid 0 --gid 0 --cap-add ALL --dev-bind / /".split(" ")]
      expect(
        (await ended([...become, ...forbidden, "/bin/sh", "-c", none, "sh", confine, "box", ...sh("echo ran")])).err,
      ).toBe("confine: cannot make namespaces: there may be no more (user.max_user_namespaces)\n")
    })
  },
)

test.skipIf(!works || !isRoot)("what is mounted outside later does not appear inside", async () => {
  using folder = temporaryFolder()
  const box = `${confine} box --writable ${folder.path} ${folder.path} --chdir ${folder.path} -- /bin/sh -c`
  const script = `mkdir late; ${box} 'touch ready; while [ ! -e mounted ]; do sleep 0.01; done; ls late' &
    while [ ! -e ready ]; do sleep 0.01; done
    mount -t tmpfs none late; touch late/inside mounted; wait $!; ls late`
  const shared = ["/usr/bin/unshare", "--mount", "--propagation", "shared", "/bin/sh", "-c"]
  const { out, err } = await ended([...shared, `cd ${folder.path} && ${script}`])
  expect({ out, err }).toEqual({ out: "inside\n", err: "" })
})

/** Without waiting: the command lines of those with a mark that are running and not about to end. */
function runningNow(mark: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : ""
      return line.includes(mark) ? [line] : []
    } catch {
      return []
    }
  })
}
