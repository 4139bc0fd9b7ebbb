/** The least an agent can do: send a body and read the answer, so many times, with a body that grows from time to time. */

import { argv, exit } from "node:process"

const url = argv[2] ?? ""
const count = Number(argv[3] ?? 1)
const first = Number(argv[4] ?? 1)
const growth = Number(argv[5] ?? 0)

for (let i = 0; i < count; i++) {
  const body = new Uint8Array(first + i * growth).fill(32)
  const response = await fetch(`${url}/v1/messages`, { method: "POST", body })
  await response.text()
}
exit(0)
