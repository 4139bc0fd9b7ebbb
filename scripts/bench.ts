/** `npm run bench`: asks every question in bench/, one after the other so that none disturbs another. */

import { resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
const wanted = process.argv.slice(2)

const questions = (await Array.fromAsync(new Bun.Glob("bench/*.ts").scan({ cwd: root })))
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort()

if (questions.length === 0)
  console.error(`No question in bench/${wanted.length === 0 ? "" : ` is called ${wanted.join(" or ")}`}.`)
for (const path of questions) {
  const { exitCode } = Bun.spawnSync([process.execPath, path], {
    cwd: root,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  })
  if (exitCode !== 0) process.exitCode = 1
}
