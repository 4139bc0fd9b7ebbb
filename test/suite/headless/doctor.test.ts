/** `codewright doctor`: what it finds, and what it salvages. */

import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { talkIn } from "../../kit/sent.ts"
import { answered, entriesOf, saidBy, writeLog } from "../../kit/write-log.ts"

const id = "0a1b2c3d-0000-4000-8000-000000000001"
const folderOf = ({ state, work }: Place): string => join(state, "projects", work.replace(/[^A-Za-z0-9]/g, "-"))
const begun = (place: Place): string =>
  writeLog(
    join(folderOf(place), `${id}.jsonl`),
    entriesOf([saidBy("one"), answered("1"), saidBy("two"), answered("2"), saidBy("three"), answered("3")]),
    { sessionId: id, cwd: place.work },
  )
const doctor = async (place: Place, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await runCodewright({ place, argv: ["doctor", ...argv] })
  return { code, stdout, stderr }
}

test.concurrent("where all is well, it says so of each thing", async () => {
  using place = openPlace()
  begun(place)
  chmodSync(place.state, 0o700)
  const { code, stdout, stderr } = await doctor(place)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  for (const name of ["program", "state folder", "settings", "rules", "ripgrep", "git", "terminal", "logs", "catalog"])
    expect(stdout).toMatch(new RegExp(`^ok    ${name}: `, "m"))
  const { checks } = JSON.parse((await doctor(place, "--json")).stdout) as { checks: { name: string }[] }
  expect(checks.find(({ name }) => name === "logs")).toEqual({
    name: "logs",
    ok: true,
    message: "1 of this folder, none damaged",
    state: "good",
  } as never)
})

test.concurrent("the sandbox is tried for real, and whether it is on is said", async () => {
  using place = openPlace()
  const off = await doctor(place)
  expect(off.stdout).toMatch(/^ok {4}sandbox: a command ran in bubblewrap; off, except for commands that only read$/m)
  place.write(join(place.state, "settings.json"), '{"sandbox": {"enabled": true}}')
  expect((await doctor(place)).stdout).toMatch(/^ok {4}sandbox: a command ran in bubblewrap; on$/m)
})

test.concurrent("broken settings, rules that mean nothing, a damaged log and open doors are each named", async () => {
  using place = openPlace()
  const log = begun(place)
  writeFileSync(log, readFileSync(log, "utf8").replace("two", "twa"))
  chmodSync(place.state, 0o755)
  place.write(join(place.state, "settings.json"), '{"permissions": {"deny": ["Bash("]}}')
  const rules = await doctor(place)
  expect(rules.code).toBe(1)
  expect(rules.stdout).toMatch(/^wrong rules: /m)
  expect(rules.stdout).toContain(`1 of 1 are damaged:\n  ${id}: codewright doctor --repair ${id}\n`)
  expect(rules.stdout).toContain("can be read by other users. Run chmod 700 on the folder.")
  place.write(join(place.state, "settings.json"), "{")
  const settings = await doctor(place)
  expect(settings.code).toBe(1)
  expect(settings.stdout).toMatch(/^wrong settings: .*settings\.json:1:2: /m)
})

test.concurrent("--repair salvages into a new session that goes on; the old one stays as it was", async () => {
  using place = openPlace()
  const log = begun(place)
  const damaged = `${readFileSync(log, "utf8").replace('"text":"1"', '"text":"!"')}{"torn`
  writeFileSync(log, damaged)
  const { code, stdout, stderr } = await doctor(place, "--repair", "0a1b")
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toContain("5 entries were recovered into ")
  expect(stdout).toContain(
    "Damaged lines: 3.\nThe last line was cut off (6 bytes).\n1 gap; each is marked in the conversation.",
  )
  expect(readFileSync(log, "utf8")).toBe(damaged)
  const made = /codewright --resume (\S+)/.exec(stdout)?.[1] ?? ""
  expect(readdirSync(folderOf(place)).sort()).toEqual([`${id}.jsonl`, `${made}.jsonl`].sort())
  const run = await runCodewright({ place, argv: ["-p", "four", "--resume", made], scenario: ["4"] })
  expect(run).toMatchObject({ code: 0, stdout: "4\n", stderr: "" })
  expect(talkIn(run.requests[0])).toEqual([
    "user: one | two",
    "assistant: 2",
    "user: three",
    "assistant: 3",
    "user: four",
  ])
  const again = JSON.parse((await doctor(place, "--repair", id, "--json")).stdout)
  expect(again).toMatchObject({ from: id, entries: 5, state: { damaged: [3], tornBytes: 6, gaps: 1 } })
})

test.concurrent("bad input", async () => {
  using place = openPlace()
  mkdirSync(place.state)
  const says = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await doctor(place, ...argv)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    return stderr
  }
  expect(await says("--repair")).toContain("needs a value")
  expect(await says("--repair", "ffff")).toStartWith("error: No session id starts with 'ffff'")
  expect(await says("please")).toBe("error: doctor takes no arguments, but got 'please'.\n")
  expect(await says("--heal")).toContain("unknown option '--heal'")
  expect((await doctor(place, "--help")).stdout).toContain("--repair <session>")
})

/** A server that lists models, and says what time it is there. */
function openModels(time: () => Date = () => new Date()) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ data: [] }, { headers: { date: time().toUTCString() } }),
  })
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, [Symbol.dispose]: () => void server.stop(true) }
}

const doctorWith = async (place: Place, env: { readonly [name: string]: string }) => {
  const { code, stdout } = await runCodewright({ place, argv: ["doctor"], env })
  return { code, lines: stdout.split("\n") }
}

test.concurrent(
  "a proxy that answers is named without its password, and one that is dead or of another kind is wrong",
  async () => {
    using proxy = openModels()
    using place = openPlace()
    const there = await doctorWith(place, {
      HTTPS_PROXY: `http://ann:secret-word@127.0.0.1:${proxy.port}`,
      NO_PROXY: ".corp.example",
    })
    expect(there.lines).toContain(
      `ok    proxy: 127.0.0.1:${proxy.port} (HTTPS_PROXY) answers; without it: .corp.example`,
    )
    expect(there.lines.join("\n")).not.toContain("secret-word")
    const dead = await doctorWith(place, { HTTPS_PROXY: "http://127.0.0.1:9" })
    expect(dead.code).toBe(1)
    expect(dead.lines.find((line) => line.includes("proxy: "))).toMatch(
      /^wrong proxy: 127\.0\.0\.1:9 \(HTTPS_PROXY\) does not answer: .* Correct or unset HTTPS_PROXY\.$/,
    )
    const socks = await doctorWith(place, { HTTPS_PROXY: "socks5://127.0.0.1:1080" })
    expect(socks.lines).toContain(
      "wrong proxy: HTTPS_PROXY names a proxy of the kind socks5. Only http and https proxies work.",
    )
  },
)

test.concurrent("a clock that is wrong by the model's own time is named, at no further connection", async () => {
  using place = openPlace()
  const clockOf = async (behindMs: number) => {
    using models = openModels(() => new Date(Date.now() + behindMs))
    const { code, lines } = await doctorWith(place, { ANTHROPIC_BASE_URL: models.url })
    return { code, line: lines.find((each) => each.includes("clock: "))?.replace(/\d+ s/, "N s") }
  }
  expect(await clockOf(0)).toEqual({ code: 0, line: expect.stringMatching(/^ok {4}clock: within N s of 127/) })
  expect(await clockOf(120_000)).toEqual({ code: 0, line: expect.stringMatching(/^note {2}clock: N s behind 127/) })
  expect(await clockOf(-900_000)).toEqual({ code: 1, line: expect.stringMatching(/^wrong clock: N s ahead of 127/) })
})

test.concurrent("certificates of one's own are read, and one that has expired is wrong", async () => {
  using place = openPlace()
  const certificates = join(import.meta.dir, "../../fixtures/certificates")
  const lineWith = async (caFile: string) => {
    place.write(join(place.state, "settings.json"), JSON.stringify({ network: { caFile } }))
    return (await doctorWith(place, {})).lines.find((line) => line.includes("certificate: "))
  }
  const valid = join(certificates, "valid.pem")
  expect(await lineWith(valid)).toMatch(/^ok {4}certificate: .*valid\.pem \(network\.caFile\): valid until 21\d\d-/)
  expect(await lineWith(join(certificates, "expired.pem"))).toMatch(
    /^wrong certificate: .*: CN=Old Company CA expired on 2021-01-01\. Get a new one\.$/,
  )
  const store = Array.from({ length: 12 }, (_, i) =>
    readFileSync(join(certificates, i === 0 ? "expired.pem" : "valid.pem"), "utf8"),
  ).join("")
  expect(await lineWith(place.write("store.pem", store))).toMatch(/^ok .*: 11 of 12 certificates are valid now$/)
  expect(await lineWith(place.write("none.pem", "nothing\n"))).toMatch(/^wrong certificate: .* contains no certificate/)
})

test.concurrent("every provider that is set up is asked, not only the model's", async () => {
  using one = openModels()
  using place = openPlace()
  const providers = {
    near: { baseUrl: `${one.url}/v1`, models: { small: {} } },
    dead: { baseUrl: "http://127.0.0.1:9/v1", models: { small: {} } },
  }
  place.write(join(place.state, "settings.json"), JSON.stringify({ providers, model: "near/small" }))
  const { code, lines } = await doctorWith(place, {})
  expect(code).toBe(1)
  expect(lines.filter((line) => /(?:model|provider \S+): /.test(line))).toEqual([
    expect.stringMatching(/^ok {4}model: near\/small; http:\/\/127/),
    expect.stringMatching(/^ok {4}provider anthropic: claude, with /),
    expect.stringMatching(/^wrong provider dead: .* could not be reached/),
  ])
})
