/** Containers, clusters and code hosts, where they are only asked. */

import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Family, Program, Table } from "#ground/workspace/shell/program.ts"
import { showsEnvironment } from "./filter.ts"

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

/** No -f, no --env-file, no --project-directory, and nothing that follows. */
const composeCommands: Family = {
  flagsAnywhere: true,
  alone: { flags: "-v --version" },
  subcommands: {
    ps: {
      flags: "-a -q --all --quiet --services --format:text --filter:text --status:word --no-trunc",
      operands: "word*",
    },
    ls: { flags: "-a -q --all --quiet --format:text --filter:text" },
    logs: {
      flags: "-t -n:word --timestamps --tail:word --since:text --until:text --no-color --no-log-prefix",
      operands: "word*",
    },
    images: { flags: "-q --quiet --format:text", operands: "word*" },
    top: { operands: "word*" },
    version: { flags: "-f:word --format:word --short" },
  },
}

/** No --kubeconfig, no --server, no --token, no -f, no -w. */
const kubectl =
  "-n:word --namespace:word -A --all-namespaces -l:text --selector:text --field-selector:text --context:word --chunk-size:number --show-events?word"
const kubectlLists =
  "-o:text --show-labels --no-headers --sort-by:text -L:text --label-columns:text --ignore-not-found --show-kind"

/** What it shows must not be secrets, and its format must not come from a file. */
function noSecrets({ operands, values }: Sorted): string | undefined {
  if (!operands.every(({ kind }) => kind === "exact")) return "what it asks for is not known"
  if (operands.some(({ text }) => /(?:^|[,/])secrets?(?:[,/.]|$)/i.test(text))) return "it could show secrets"
  // Everything at once is shown as a list, not in full.
  const isAll = operands.some(({ text }) => /(?:^|[,/])all(?:[,/.]|$)/i.test(text))
  if (isAll && values.some(({ flag, value }) => flag === "-o" && !/^(?:wide|name)$/.test(value.text)))
    return "it could show secrets"
  return values.some(({ flag, value }) => flag === "-o" && /-file\b/.test(value.text))
    ? "its format comes from a file"
    : undefined
}

/** What is sent must be known, go to the code host, and bring nothing of the environment along. */
function staysAtHost({ operands, values }: Sorted): string | undefined {
  if (![...operands, ...values.map(({ value }) => value)].every(({ kind }) => kind === "exact"))
    return "what it would send is not known"
  const repositories = values.filter(({ flag }) => flag === "-R" || flag === "--repo")
  if (!repositories.every(({ value }) => /^(?:github\.com\/)?[\w.-]+\/[\w.-]+$/.test(value.text)))
    return "it could reach another place"
  return values.some(({ flag, value }) => (flag === "-q" || flag === "--jq") && showsEnvironment(value.text))
    ? "its filter shows the environment"
    : undefined
}

/** An operand that names something at the host, by number, by name or by its address there. */
function namesHost({ operands }: Sorted): string | undefined {
  return operands.every(
    ({ text }) => /^https:\/\/github\.com\/[\w./#-]+$/.test(text) || /^[\w.#@-]+(?:\/[\w.#-]+)?$/.test(text),
  )
    ? undefined
    : "it could reach another place"
}

/** Every command of gh, held to its host; those that search or ask the interface take texts of their own. */
function held(program: Program, takesTexts: boolean): Program {
  if ("judge" in program) return program
  if ("subcommands" in program)
    return {
      ...program,
      ...(program.alone && { alone: program.alone }),
      subcommands: Object.fromEntries(
        Object.entries(program.subcommands).map(([name, inner]) => [
          name,
          held(inner, takesTexts || name === "search" || name === "api"),
        ]),
      ),
    }
  const { unless } = program
  return {
    ...program,
    unless: (given) => staysAtHost(given) ?? (takesTexts ? undefined : namesHost(given)) ?? unless?.(given),
  }
}

const gh: Family = {
  repository: true,
  flagsAnywhere: true,
  alone: { flags: "--version --help" },
  subcommands: {
    version: {},
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
}

export const hosts: Table = {
  docker: {
    flagsAnywhere: true,
    alone: { flags: "-v --version" },
    subcommands: {
      ps: {
        flags:
          "-a -q -s -n:number -l -f:text --all --quiet --size --last:number --latest --filter:text --format:text --no-trunc",
      },
      images: {
        flags: "-a -q -f:text --all --quiet --digests --filter:text --format:text --no-trunc --tree",
        operands: "text?",
      },
      logs: { flags: "-t -n:word --timestamps --tail:word --since:text --until:text --details", operands: "text" },
      inspect: { flags: "-f:text -s --format:text --size --type:word", operands: "text+" },
      version: { flags: "-f:text --format:text" },
      info: { flags: "-f:text --format:text" },
      port: { operands: "text word?" },
      top: { operands: "text" },
      diff: { operands: "text" },
      stats: {
        flags: "-a --all --no-stream --no-trunc --format:text",
        operands: "text*",
        unless: ({ flags }) => (flags.has("--no-stream") ? undefined : "it does not end"),
      },
      history: { flags: "-q -H --quiet --human --no-trunc --format:text", operands: "text" },
      container: {
        subcommands: {
          ls: { flags: "-a -q -s --all --quiet --size -f:text --filter:text --format:text --no-trunc" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
          logs: { flags: "-t --timestamps --tail:word --since:text", operands: "text" },
        },
      },
      image: {
        subcommands: {
          ls: { flags: "-a -q --all --quiet -f:text --filter:text --format:text --no-trunc" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
        },
      },
      volume: {
        subcommands: {
          ls: { flags: "-q --quiet -f:text --filter:text --format:text" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
        },
      },
      network: {
        subcommands: {
          ls: { flags: "-q --quiet -f:text --filter:text --format:text --no-trunc" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
        },
      },
      context: { subcommands: { ls: { flags: "-q --quiet --format:text" }, show: {} } },
      system: { subcommands: { df: { flags: "-v --verbose --format:text" } } },
      compose: composeCommands,
    },
  },
  "docker-compose": composeCommands,
  kubectl: {
    flagsAnywhere: true,
    subcommands: {
      get: { flags: `${kubectl} ${kubectlLists}`, operands: "text+", unless: noSecrets },
      describe: { flags: kubectl, operands: "text+", unless: noSecrets },
      logs: {
        flags: `${kubectl} -c:word --container:word --tail:number --since:word --since-time:text --timestamps --previous -p --prefix --all-containers`,
        operands: "text? text?",
      },
      version: { flags: "--client -o:word" },
      config: { subcommands: { "current-context": {}, "get-contexts": { flags: "-o:word --no-headers" } } },
      "api-resources": { flags: "--namespaced?word --api-group:word --verbs:text -o:word --no-headers" },
      "cluster-info": {},
      explain: { flags: "--recursive --api-version:word", operands: "word" },
      rollout: {
        subcommands: {
          history: { flags: `${kubectl} --revision:number`, operands: "text text?" },
          status: { flags: `${kubectl} --timeout:word --revision:number`, operands: "text text?" },
        },
      },
      top: { flags: `${kubectl} --containers --sort-by:word --no-headers`, operands: "word text?" },
    },
  },
  helm: {
    flagsAnywhere: true,
    subcommands: {
      list: { flags: "-a -A -q -n:word -o:word --all --all-namespaces --short --namespace:word" },
      ls: { flags: "-a -A -q -n:word -o:word --all --all-namespaces --short --namespace:word" },
      history: { flags: "-n:word --namespace:word -o:word --max:number", operands: "word" },
      status: { flags: "-n:word --namespace:word -o:word", operands: "word" },
      version: { flags: "--short" },
    },
  },
  terraform: { alone: { flags: "-v -version --version" }, subcommands: { version: {} } },
  gh: held(gh, false),
}
