/** The code host: gh, where it only reads, contacts no one else and sends nothing of the environment. */

import type { Family, KnownProgram, Table } from "#ground/workspace/shell/programs/program.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import { lazily } from "#lib/lazily.ts"
import { asking } from "./asking.ts"
import { filterObjection } from "./filter.ts"

/** No --web, which opens a browser, and no --watch, which does not end. */
const show = "-R:text --repo:text --json:text -q:text --jq:text -t:text --template:text --comments -c"
const list = `${show} -L:number --limit:number -s:word --state:word -l:text --label:text -a:text --assignee:text -A:text --author:text -S:text --search:text -B:text --base:text -H:text --head:text -d --draft --app:word -m:text --milestone:text --mention:text`

const runList = `${show} -L:number --limit:number -s:word --status:word -w:text --workflow:text -b:text --branch:text -u:text --user:text -e:text --event:text --created:text --commit:word -a --all`

const ghList: Shape = { flags: list }
const ghShow: Shape = { flags: show, operands: "text?" }

const ghSearch: Shape = {
  flags: `${show} -L:number --limit:number --owner:word --language:word --state:word --sort:word --order:word --label:text --author:word --filename:text --extension:word --match:word`,
  operands: "text+",
  unless: ({ operands }) =>
    operands.every(({ kind }) => kind === "exact") ? undefined : "what it would send is not known",
}
const gh: () => Family = lazily(() => ({
  repository: true,
  flagsAnywhere: true,
  alone: { flags: "--version --help", asks: "nothing" },
  subcommands: {
    version: { asks: "nothing" },
    help: { operands: "word*", asks: "nothing" },
    pr: {
      subcommands: {
        view: ghShow,
        list: ghList,
        status: { flags: `${show} --conflict-status` },
        diff: { flags: "-R:text --repo:text --color:word --name-only --patch", operands: "text?" },
        checks: { flags: "-R:text --repo:text --json:text -q:text --jq:text --required", operands: "text?" },
      },
    },
    issue: { subcommands: { view: ghShow, list: ghList, status: { flags: show } } },
    run: {
      subcommands: {
        view: {
          flags:
            "-R:text --repo:text --json:text -q:text --jq:text -v --verbose --log --log-failed -j:word --job:word -a:number --attempt:number --exit-status",
          operands: "word?",
        },
        list: { flags: runList },
      },
    },
    workflow: {
      subcommands: {
        list: { flags: "-R:text --repo:text -a --all -L:number --limit:number --json:text" },
        view: { flags: "-R:text --repo:text -r:word --ref:word -y --yaml", operands: "text?" },
      },
    },
    repo: {
      subcommands: {
        view: { flags: "--json:text -q:text --jq:text -b:word --branch:word", operands: "text?" },
        list: {
          flags:
            "-L:number --limit:number --json:text -q:text --jq:text --source --fork --archived --visibility:word --language:word --topic:word",
          operands: "word?",
        },
      },
    },
    release: {
      subcommands: {
        view: { flags: "-R:text --repo:text --json:text -q:text --jq:text", operands: "text?" },
        list: {
          flags: "-R:text --repo:text -L:number --limit:number --json:text --exclude-drafts --exclude-pre-releases",
        },
      },
    },
    label: { subcommands: { list: ghList } },
    gist: {
      subcommands: {
        list: { flags: "-L:number --limit:number --public --secret" },
        view: { flags: "-f:text --filename:text --files -r --raw", operands: "word" },
      },
    },
    cache: {
      subcommands: {
        list: {
          flags: `${show} -L:number --limit:number -k:text --key:text -r:text --ref:text -S:word --sort:word -O:word --order:word`,
        },
      },
    },
    ruleset: {
      subcommands: {
        list: { flags: "-R:text --repo:text -L:number --limit:number -o:word --org:word -p --parents" },
        view: { flags: "-R:text --repo:text -o:word --org:word", operands: "word?" },
      },
    },
    org: { subcommands: { list: { flags: "-L:number --limit:number" } } },
    project: {
      subcommands: {
        list: { flags: "--owner:word --closed --format:word -L:number --limit:number -q:text --jq:text" },
        view: { flags: "--owner:word --format:word -q:text --jq:text", operands: "number" },
        "item-list": {
          flags: "--owner:word --format:word -L:number --limit:number -q:text --jq:text",
          operands: "number",
        },
        "field-list": {
          flags: "--owner:word --format:word -L:number --limit:number -q:text --jq:text",
          operands: "number",
        },
      },
    },
    status: { flags: "-e:text --exclude:text -o:word --org:word" },
    extension: { subcommands: { list: { asks: "nothing" } } },
    alias: { subcommands: { list: { asks: "nothing" } } },
    config: {
      subcommands: {
        list: { flags: "-h:word --host:word", asks: "nothing" },
        get: { flags: "-h:word --host:word", operands: "word", asks: "nothing" },
      },
    },
    "ssh-key": { subcommands: { list: {} } },
    "gpg-key": { subcommands: { list: {} } },
    auth: { subcommands: { status: { flags: "-h:word --hostname:word" } } },
    // Without -X, -f, -F and --input it only asks.
    api: {
      flags:
        "-q:text --jq:text -t:text --template:text -p:text --preview:text --paginate --slurp -i --include --silent",
      operands: "text",
      unless: ({ operands }) =>
        operands.every(({ kind, text }) => kind === "exact" && /^\/?[\w{][\w{}./?=&%+,:@-]*$/.test(text)) &&
        !operands.some(({ text }) => /^\/?graphql|:\/\//.test(text))
          ? undefined
          : "it could reach another place",
    },
    search: {
      subcommands: { code: ghSearch, commits: ghSearch, issues: ghSearch, prs: ghSearch, repos: ghSearch },
    },
  },
}))

export const codeHost: () => Table = lazily(() => ({ gh: asking("network", limitedToHost(gh(), false)) }))

/** Every gh command, limited to its host; those that search or call the API take free text. */
function limitedToHost(program: KnownProgram, takesTexts: boolean): KnownProgram {
  if ("judge" in program) return program
  if ("subcommands" in program)
    return {
      ...program,
      ...(program.alone && { alone: program.alone }),
      subcommands: Object.fromEntries(
        Object.entries(program.subcommands).map(([name, inner]) => [
          name,
          limitedToHost(inner, takesTexts || name === "search" || name === "api"),
        ]),
      ),
    }
  const { unless } = program
  return {
    ...program,
    unless: (words) => staysAtHost(words) ?? (takesTexts ? undefined : namesHost(words)) ?? unless?.(words),
  }
}

/** What is sent must be known, go to the code host, and include nothing of the environment. */
function staysAtHost({ operands, values }: Sorted): string | undefined {
  if (![...operands, ...values.map(({ value }) => value)].every(({ kind }) => kind === "exact"))
    return "what it would send is not known"
  const repositories = values.filter(({ flag }) => flag === "-R" || flag === "--repo")
  if (!repositories.every(({ value }) => /^(?:github\.com\/)?[\w.-]+\/[\w.-]+$/.test(value.text)))
    return "it could reach another place"
  const filter = values.find(
    ({ flag, value }) => /^(?:-q|--jq)$/.test(flag) && filterObjection(value.text) !== undefined,
  )
  return filter && filterObjection(filter.value.text)
}

/** An operand that names something at the host, by number, name or URL. */
function namesHost({ operands }: Sorted): string | undefined {
  return operands.every(
    ({ text }) => /^https:\/\/github\.com\/[\w./#-]+$/.test(text) || /^[\w.#@-]+(?:\/[\w.#-]+)?$/.test(text),
  )
    ? undefined
    : "it could reach another place"
}
