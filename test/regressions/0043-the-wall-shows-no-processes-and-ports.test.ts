/** Behind the reader wall processes, ports and interfaces were those of the sandbox: `lsof` called a used port free, `pgrep` named 1, 2 and 3. */

import { describe, expect, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

const programs = ["ps", "pgrep", "ss", "lsof", "netstat", "fuser", "ip"]
const isComplete = programs.every((program) => Bun.which(program))

async function answersTo(commands: readonly string[]): Promise<readonly { text: string; isAsked: boolean }[]> {
  await using t = await openTestSession({
    script: [...commands.map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
  })
  await t.prompt("go")
  return t.results().map(({ content, denied }) => ({ text: String(content), isAsked: denied !== undefined }))
}

describe.skipIf(!isComplete)("a server of the user's own (needs procps, iproute2, lsof, net-tools, psmisc)", () => {
  test("is found by its port and by its name, with its number", async () => {
    await using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
    const { port } = server
    const pid = String(process.pid)
    const commands = [
      `lsof -nP -t -i :${port}`,
      `ss -tlnp | grep :${port}`,
      `netstat -tlnp 2>/dev/null | grep :${port}`,
      `fuser ${port}/tcp 2>/dev/null`,
      `ps -p ${pid} -o pid=`,
      `ps aux | awk '{print $2}' | grep -x ${pid}`,
    ]
    for (const [i, { text, isAsked }] of (await answersTo(commands)).entries())
      expect({ command: commands[i], isAsked, isNamed: new RegExp(`\\b${pid}\\b`).test(text) }).toEqual({
        command: commands[i],
        isAsked: false,
        isNamed: true,
      })
  })

  test("is not found by the words of the command that looks for it", async () => {
    const [found] = await answersTo([`pgrep -fc 'no-such-${crypto.randomUUID()}'`])
    expect(found?.text).toMatch(/^Exit code 1\n0\b/)
  })

  test("has the interfaces of the machine around it", async () => {
    const [links] = await answersTo(["ip -o link"])
    expect(links?.text.trim()).toBe(Bun.spawnSync(["ip", "-o", "link"]).stdout.toString().trim())
  })

  test("cannot be ended or changed by what only shows it", async () => {
    const commands = ["fuser -k 1/tcp", "ss -K dst 127.0.0.1", "ip link set lo down", "kill -0 1", "lsof -p 1"]
    expect((await answersTo(commands)).map(({ isAsked }) => isAsked)).toEqual(commands.map(() => true))
  })

  test("where nothing is asked about the machine, the wall has processes of its own", async () => {
    const [own] = await answersTo(["readlink -f . > /dev/null; echo $$"])
    expect(Number(own?.text)).toBeLessThan(20)
  })
})

test("what needs a network or a service asks at once, and says so", async () => {
  const asks = ["gh pr list", "docker ps", "kubectl get pods", "npm view react", "npm outdated", "pip list --outdated"]
  const free = ["git --version", "docker --version", "kubectl version --client", "gh --version", "gh alias list"]
  const reasons: string[] = []
  await using t = await openTestSession({
    script: [...[...asks, ...free].map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
    answers: ({ ask }) => {
      if (ask.kind === "permission") reasons.push(ask.why ?? "")
      return { kind: "deny", words: "Go on.", interrupt: false }
    },
  })
  await t.prompt("go")
  expect(reasons).toEqual([
    "`gh pr` reaches the network.",
    "`docker ps` asks a service of this machine.",
    "`kubectl get` reaches the network.",
    "`npm view` reaches the network.",
    "`npm outdated` reaches the network.",
    "`pip list` reaches the network.",
  ])
})
