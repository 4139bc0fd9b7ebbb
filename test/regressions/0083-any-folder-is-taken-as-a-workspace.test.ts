/** Folders that do not exist, the whole home, and what links call by another name were taken with 201, and failed or ran later. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { workspaceProblem } from "#fleet/workspaces.ts"
import { openUsual } from "../kit/database/engines.ts"
import { worker } from "../kit/fleet/records.ts"
import { openTestServer } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("no session is begun in the system, in a home or around it, or in a folder that is not there", async () => {
  using folder = temporaryFolder()
  const home = folder.join("homes/ann")
  mkdirSync(`${home}/project`, { recursive: true })
  writeFileSync(`${home}/file`, "")
  for (const [name, target] of [
    ["to-home", home],
    ["to-processes", "/proc/self"],
    ["to-project", `${home}/project`],
    ["to-nothing", "nowhere"],
  ] as const)
    symlinkSync(target, folder.join(name))
  const problem = (path: string, allowed: readonly string[] = [], isHere = true): string | undefined =>
    workspaceProblem(path, { home, allowed, isHere })

  const system = ["/", "//", "/proc", "/proc/self/cwd", "/sys/kernel", "/dev/shm", "/usr/../proc", "/./"]
  for (const path of [...system, folder.join("to-processes")])
    expect([path, problem(path, [path])]).toEqual([path, expect.stringContaining("is part of the system")])
  const around = [home, `${home}/`, `${home}/project/..`, folder.join("homes"), folder.path, folder.join("to-home")]
  for (const path of around)
    expect([path, problem(path)]).toEqual([path, expect.stringContaining("holds the home folder")])
  expect(problem(folder.join("gone"))).toContain("does not exist")
  expect(problem(folder.join("to-nothing"))).toContain("does not exist")
  expect(problem(`${home}/file`)).toBe(`${home}/file is not a folder.`)
  expect(problem(`${home}/project`)).toBeUndefined()
  expect(problem(folder.join("to-project"))).toBeUndefined()

  // Exactly that folder, and nothing else that holds it or lies in it, because an admin said so.
  expect(problem(home, [home])).toBeUndefined()
  expect(problem(folder.join("to-home"), [`${home}/`])).toBeUndefined()
  expect(problem(folder.join("homes"), [home])).toContain("holds the home folder")
  expect(problem(home, [folder.join("homes")])).toContain("holds the home folder")

  // On another machine it may be there.
  expect(problem("/srv/elsewhere", [], false)).toBeUndefined()
})

test("over HTTP it is refused with the reason, unless a worker on another machine could have the folder", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("home"))
  mkdirSync(folder.join("project"))
  const database = await openUsual(folder)
  const server = await openTestServer(database, { machine: { host: "here", home: folder.join("home") } })
  const begin = async (path: string, labels: readonly string[] = []) => {
    const { status, body } = await server.ask("POST", "/api/sessions", {
      as: "admin",
      body: { prompt: "x", workspace: { path }, labels },
    })
    return [status, (body as { error?: { code: string; message: string } }).error]
  }
  await server.store.leases.beat(worker("w_here"), [], 60_000)
  await server.store.leases.beat(worker("w_there", { host: "there", labels: ["gpu"] }), [], 60_000)
  const gone = folder.join("gone")
  expect(await begin(folder.join("home"))).toEqual([
    422,
    { code: "invalid", message: expect.stringContaining("holds the home folder") as string },
  ])
  expect(await begin(folder.join("project"))).toEqual([201, undefined])
  expect(await begin(gone)).toEqual([201, undefined])
  await server.store.leases.leave("w_there")
  const message = `workspace.path: ${gone} does not exist. Create the folder first, or check the spelling.`
  expect(await begin(gone)).toEqual([422, { code: "invalid", message }])
  // Nobody has that label yet.
  expect(await begin(gone, ["gpu"])).toEqual([201, undefined])
  for (const ref of ["a..b", "@{-1}", "x.lock", "a/.b", "-x", "a b", "a^", "x/"]) {
    const git = { url: "https://git.example/app.git", ref }
    const body = { prompt: "x", workspace: { git } }
    expect([ref, (await server.ask("POST", "/api/sessions", { as: "admin", body })).status]).toEqual([ref, 422])
  }
  await server.close()
  await database.close()
}, 300_000)
