/** Writes one row after the other and says which is committed, until it is killed. Run as a program: the folder. */

import { embeddedIn, opened } from "./databases.ts"

const [path = ""] = process.argv.slice(2)
const database = await opened(await embeddedIn({ join: (name = "") => `${path}/${name}` }))
await database.migrate({ name: "counted", steps: ["create table counted (x integer primary key)"] })
for (let i = 1; ; i++) {
  await database.rows("insert into counted values ($1)", [i])
  process.stdout.write(`${i}\n`)
}
