/** Run by `npm test`: one Postgres for all tests, until whoever started it goes. Prints its address. */

import { hasPostgres, startPostgres } from "./postgres-server.ts"

if (hasPostgres) {
  await using server = await startPostgres()
  process.stdout.write(`${server.url}\n`)
  // Nobody writes anything; it ends with whoever started us, however that was.
  await new Response(Bun.stdin.stream()).text()
}
