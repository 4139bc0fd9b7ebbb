/** "Don't ask again" for `uv run x.py` saved a rule for `uv run`, which then allowed any program. */

import { expect, test } from "bun:test"
import { runs } from "#agent/words/footprint.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { suggestRule } from "#kits/permissions/rules/suggest.ts"
import { unsavable } from "#kits/permissions/rules/unsavable.ts"
import { readersConfined } from "#kits/permissions/walls.ts"
import { bash, place, rulesFrom, analyzer } from "../unit/kits/permissions/judge.ts"

const suggested = (command: string): string | undefined =>
  suggestRule(
    judgedCall({
      tool: { name: "Bash" },
      input: {},
      footprint: runs(command),
      workspace: place,
      cwd: place.root,
      realPath: (path) => path,
      walls: readersConfined,
      analyzer,
    }),
  )

const launchers: readonly string[] =
  "npm exec,npm x,pnpm exec,pnpm dlx,yarn exec,yarn dlx,bunx,bun x,uv run,uvx,uv tool run,poetry run,pipenv run,pdm run,hatch run,rye run,bundle exec,go run,cargo run,dotnet run,dotnet exec,deno run,mise exec,direnv exec .,nix run,nix develop -c,conda run,docker run,docker exec,docker compose run,docker compose exec,kubectl exec,kubectl run,hyperfine,watchexec,entr,dotenv,cross-env,rustup run nightly,sops exec-env x,npx,sudo,tmux new".split(
    ",",
  )

test.each(launchers)("what is suggested for %s does not allow another program", (launcher) => {
  for (const program of ["foo", "pytest -x", "./x.py", "--flag foo"]) {
    const rule = suggested(`${launcher} ${program}`)
    if (rule === undefined) continue
    expect(unsavable({ behavior: "allow", text: rule, source: "session" })).toBeUndefined()
    const rules = rulesFrom({ allow: [rule] })
    expect(bash(`${launcher} ${program}`, { rules }).behavior).toBe("allow")
    for (const other of ["sh -c 'touch x'", "-c 'touch x'", "python3 -c x", "evil.example/x@latest", "touch x"])
      expect(bash(`${launcher} ${other}`, { rules }).behavior).toBe("ask")
  }
})

test.each([
  ["uv run pytest -x", "Bash(uv run pytest:*)"],
  ["poetry run pytest", "Bash(poetry run pytest:*)"],
  ["go run ./cmd/x --all", "Bash(go run ./cmd/x:*)"],
  ["go run .", "Bash(go run .)"],
  ["npm exec foo", "Bash(npm exec foo)"],
  ["uv run x.py", "Bash(uv run x.py)"],
  ["uv run --with x pytest", "Bash(uv run --with x pytest)"],
  ["docker compose up -d", "Bash(docker compose up:*)"],
  ["npm run test -- -w", "Bash(npm run test:*)"],
])("%s suggests %s", (command, rule) => expect(suggested(command)).toBe(rule))

test.each(["Bash(uv run:*)", "Bash(npm exec:*)", "Bash(go run:*)", "Bash(uv run python:*)", "Bash(hyperfine:*)"])(
  "%s is not saved, and means what it says where somebody wrote it",
  (rule) => {
    expect(unsavable({ behavior: "allow", text: rule, source: "session" })).toContain("would allow anything")
    const command = `${rule.slice("Bash(".length, -":*)".length)} foo.py`
    expect(bash(command, { rules: rulesFrom({ allow: [rule] }) }).behavior).toBe("allow")
  },
)
