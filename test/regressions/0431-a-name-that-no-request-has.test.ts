/** `--allow-host` took an address, a port or nothing for a name: the server started, and refused everybody who came through the proxy. */

import { expect, test } from "bun:test"
import { runCodewright } from "../kit/run-codewright.ts"

for (const name of ["https://fleet.example.com", "fleet.example.com:443", "fleet.example.com/", ""])
  test(`serve --allow-host '${name}' says what a name is`, async () => {
    const argv = ["serve", "--port", "0", "--allow-host", name]
    const { code, stdout, stderr } = await runCodewright({ argv })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`error: --allow-host takes names such as fleet.example.com`)
    expect(stderr).toContain(`not '${name}'.`)
  })
