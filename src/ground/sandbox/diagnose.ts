/** Why nothing can be confined on this machine, and what to do about it: from what the kernel and the system report. */

import { existsSync } from "node:fs"
import { bubblewrapPaths } from "./bubblewrap.ts"
import type { Unconfinable } from "./port.ts"
import { textOfFile } from "#lib/quietly.ts"

export interface SystemFacts {
  readonly uid: number | undefined
  /** The family of the system, as `/etc/os-release` names it: `debian`, `fedora`. */
  readonly systems: readonly string[]
  readonly hasBubblewrap: boolean
  /** Kernel settings; absent if the kernel does not have them. */
  readonly maxUserNamespaces?: number
  readonly unprivilegedUserNamespaces?: number
  readonly appArmorRestricts?: number
  readonly isContainer: boolean
  /** Whether the kernel can filter system calls. */
  readonly filtersCalls: boolean
}

/** The first obstacle. `said` is what bubblewrap printed. */
export function diagnose(facts: SystemFacts, said: string): Unconfinable {
  const isRoot = facts.uid === 0
  if (!facts.hasBubblewrap)
    return { why: "bubblewrap is not installed", fix: `Install it: ${installer(facts.systems)}` }
  if (!facts.filtersCalls)
    return { why: "the kernel cannot filter system calls", fix: "Use a kernel built with CONFIG_SECCOMP_FILTER." }
  if (facts.maxUserNamespaces === 0)
    return {
      why: "the kernel allows no user namespaces (user.max_user_namespaces is 0)",
      fix: "Allow them: sudo sysctl user.max_user_namespaces=15000",
    }
  if (facts.isContainer && /namespace|permi|denied|mount/i.test(said))
    return {
      why: `this container may not make namespaces${lastLine(said)}`,
      fix: "Start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined, or run Codewright outside of it.",
    }
  if (facts.unprivilegedUserNamespaces === 0 && !isRoot)
    return {
      why: "only root may make user namespaces (kernel.unprivileged_userns_clone is 0)",
      fix: "Allow it for everyone: sudo sysctl kernel.unprivileged_userns_clone=1",
    }
  if (facts.appArmorRestricts === 1 && !isRoot)
    return {
      why: "AppArmor forbids user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)",
      fix: "Add an AppArmor profile that gives /usr/bin/bwrap the userns permission, or run: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    }
  return {
    why: `bubblewrap does not work here${lastLine(said)}`,
    fix: "Try it by hand to see more: bwrap --unshare-user --ro-bind / / true",
  }
}

function lastLine(said: string): string {
  const line = said.trim().split("\n").at(-1) ?? ""
  return line === "" ? "" : `: ${line}`
}

function installer(systems: readonly string[]): string {
  const known = systems.map((system) => installers[system]).find((command) => command !== undefined)
  return `${known ?? "sudo apt install"} bubblewrap`
}

const installers: { readonly [system: string]: string } = {
  debian: "sudo apt install",
  ubuntu: "sudo apt install",
  fedora: "sudo dnf install",
  rhel: "sudo dnf install",
  arch: "sudo pacman -S",
  alpine: "sudo apk add",
  suse: "sudo zypper install",
  opensuse: "sudo zypper install",
}

export interface FactSources {
  readonly uid: number | undefined
  readonly places: readonly string[]
  /** The root of the kernel's and the system's paths; empty for the real one. */
  readonly under?: string
}

export function readSystemFacts({ uid, places, under = "" }: FactSources): SystemFacts {
  const text = (path: string): string => textOfFile(`${under}${path}`) ?? ""
  const number = (name: "maxUserNamespaces" | "unprivilegedUserNamespaces" | "appArmorRestricts", path: string) => {
    const value = text(path).trim()
    return /^\d+$/.test(value) ? { [name]: Number(value) } : {}
  }
  const release = text("/etc/os-release")
  const id = /^ID=(.*)$/m.exec(release)?.[1] ?? ""
  const like = /^ID_LIKE=(.*)$/m.exec(release)?.[1] ?? ""
  return {
    uid,
    systems: `${id} ${like}`
      .replaceAll('"', "")
      .split(/\s+/)
      .filter((name) => name !== ""),
    hasBubblewrap: places.some((path) => existsSync(path)),
    ...number("maxUserNamespaces", "/proc/sys/user/max_user_namespaces"),
    ...number("unprivilegedUserNamespaces", "/proc/sys/kernel/unprivileged_userns_clone"),
    ...number("appArmorRestricts", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
    isContainer:
      existsSync(`${under}/.dockerenv`) ||
      existsSync(`${under}/run/.containerenv`) ||
      /docker|kubepods|containerd|libpod|lxc/.test(text("/proc/1/cgroup")),
    filtersCalls: /^Seccomp:/m.test(text("/proc/self/status")),
  }
}

export const diagnoseHere = async (said: string): Promise<Unconfinable> =>
  diagnose(readSystemFacts({ uid: process.getuid?.(), places: bubblewrapPaths }), said)
