/** Containers and clusters, where they are only queried. */

import type { Family, Table } from "#ground/workspace/shell/programs/program.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import { lazily } from "#lib/lazily.ts"
import { asking } from "./asking.ts"

/** No -f, no --env-file, no --project-directory, and nothing that follows the output. */
const composeCommands: () => Family = lazily(() => ({
  flagsAnywhere: true,
  alone: { flags: "-v --version", asks: "nothing" },
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
    port: { flags: "--protocol:word --index:number", operands: "word number" },
    // Names only: the full output contains values from the environment.
    config: {
      asks: "nothing",
      flags: "-q --quiet --services --images --volumes --profiles",
      unless: ({ flags }) => (flags.size > 0 ? undefined : "it could show secrets"),
    },
    version: { flags: "-f:word --format:word --short", asks: "nothing" },
  },
}))

/** No --kubeconfig, no --server, no --token, no -f, no -w. */
const kubectl =
  "-n:word --namespace:word -A --all-namespaces -l:text --selector:text --field-selector:text --context:word --chunk-size:number --show-events?word"
const kubectlLists =
  "-o:text --show-labels --no-headers --sort-by:text -L:text --label-columns:text --ignore-not-found --show-kind"

/** It must not show secrets, and its format must not come from a file. */
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

const docker: () => Family = lazily(() => ({
  flagsAnywhere: true,
  alone: { flags: "-v --version --help", asks: "nothing" },
  subcommands: {
    ps: {
      flags:
        "-a -q -s -n:number -l -f:text --all --quiet --size --last:number --latest --filter:text --format:text --no-trunc",
      prints: ({ flags }) =>
        (flags.has("-q") || flags.has("--quiet")) && !flags.has("--format") ? ("token" as const) : undefined,
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
    context: {
      subcommands: { ls: { flags: "-q --quiet --format:text", asks: "nothing" }, show: { asks: "nothing" } },
    },
    system: { subcommands: { df: { flags: "-v --verbose --format:text" } } },
    plugin: { subcommands: { ls: { flags: "-q --quiet -f:text --filter:text --format:text --no-trunc" } } },
    node: { subcommands: { ls: { flags: "-q --quiet -f:text --filter:text --format:text" } } },
    service: {
      subcommands: {
        ls: { flags: "-q --quiet -f:text --filter:text --format:text" },
        ps: { flags: "-q --quiet -f:text --filter:text --format:text --no-trunc", operands: "word+" },
      },
    },
    stack: {
      subcommands: {
        ls: { flags: "--format:text" },
        ps: { flags: "--format:text --no-trunc", operands: "word" },
        services: { flags: "--format:text", operands: "word" },
      },
    },
    buildx: { subcommands: { ls: {}, version: { asks: "nothing" }, du: {} } },
    compose: composed(composeCommands()),
  },
}))

/** A composition may include others, and files with variables, wherever they are. */
function composed(family: Family): Family {
  const bounded = ["ps", "logs", "images", "top", "port", "config"]
  const files = ["compose", "docker-compose"]
    .flatMap((name) => [name, `${name}.override`])
    .flatMap((name) => [`${name}.yaml`, `${name}.yml`])
  const unlessFileHolds = {
    files: [...files, ".env"],
    holds: /\b(?:include|extends|env_file|label_file)\b|COMPOSE_|\\[xuU]/,
  }
  return {
    ...family,
    subcommands: Object.fromEntries(
      Object.entries(family.subcommands).map(([name, shape]) => [
        name,
        bounded.includes(name) ? { ...shape, unlessFileHolds } : shape,
      ]),
    ),
  }
}

export const hosts: () => Table = lazily(() => ({
  docker: asking("service", docker()),
  podman: asking("service", docker()),
  "docker-compose": asking("service", composed(composeCommands())),
  kubectl: asking("network", kubectlCommands()),
  helm: asking("network", helmCommands()),
  terraform: {
    letters: "whole",
    alone: { flags: "-v -version --version" },
    subcommands: {
      version: { flags: "-json" },
      fmt: {
        flags: "-check -recursive",
        operands: "path?",
        unless: ({ flags }) => (flags.has("-check") ? undefined : "it would write the files"),
      },
    },
  },
}))

const kubectlCommands = (): Family => ({
  flagsAnywhere: true,
  alone: { flags: "--help -h", asks: "nothing" },
  subcommands: {
    get: { flags: `${kubectl} ${kubectlLists}`, operands: "text+", unless: noSecrets },
    describe: { flags: kubectl, operands: "text+", unless: noSecrets },
    logs: {
      flags: `${kubectl} -c:word --container:word --tail:number --since:word --since-time:text --timestamps --previous -p --prefix --all-containers`,
      operands: "text? text?",
    },
    version: {
      flags: "--client -o:word",
      asks: ({ flags }) => (flags.has("--client") ? "nothing" : "network"),
    },
    help: { operands: "word*", asks: "nothing" },
    config: {
      subcommands: {
        "current-context": { asks: "nothing" },
        "get-contexts": { flags: "-o:word --no-headers", asks: "nothing" },
        "get-clusters": { asks: "nothing" },
        view: { flags: "--minify -o:word --context:word", asks: "nothing" },
      },
    },
    "api-versions": {},
    auth: { subcommands: { "can-i": { flags: kubectl, operands: "word+" }, whoami: {} } },
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
})

const helmCommands = (): Family => ({
  flagsAnywhere: true,
  subcommands: {
    list: { flags: "-a -A -q -n:word -o:word --all --all-namespaces --short --namespace:word" },
    ls: { flags: "-a -A -q -n:word -o:word --all --all-namespaces --short --namespace:word" },
    history: { flags: "-n:word --namespace:word -o:word --max:number", operands: "word" },
    status: { flags: "-n:word --namespace:word -o:word", operands: "word" },
    version: { flags: "--short", asks: "nothing" },
    repo: {
      subcommands: { list: { flags: "-o:word", asks: "nothing" }, ls: { flags: "-o:word", asks: "nothing" } },
    },
    search: {
      subcommands: {
        repo: { flags: "-l --versions --version:word -o:word --devel", operands: "text?", asks: "nothing" },
      },
    },
  },
})
