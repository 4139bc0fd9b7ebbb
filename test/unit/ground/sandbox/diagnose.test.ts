/** Each thing that stands in the way of the sandbox is named, with what to do. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { diagnose, readSystemFacts, type SystemFacts } from "#ground/sandbox/diagnose.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const fine: SystemFacts = {
  uid: 1000,
  systems: ["ubuntu", "debian"],
  hasBubblewrap: true,
  maxUserNamespaces: 1000,
  unprivilegedUserNamespaces: 1,
  appArmorRestricts: 0,
  isContainer: false,
  filtersCalls: true,
}

test.each<[Partial<SystemFacts>, string, string]>([
  [{ hasBubblewrap: false }, "bubblewrap is not installed", "Install it: sudo apt install bubblewrap"],
  [{ hasBubblewrap: false, systems: ["rocky", "rhel"] }, "bubblewrap is not installed", "sudo dnf install bubblewrap"],
  [{ hasBubblewrap: false, systems: [] }, "bubblewrap is not installed", "sudo apt install bubblewrap"],
  [{ filtersCalls: false }, "the kernel cannot filter system calls", "CONFIG_SECCOMP_FILTER"],
  [{ maxUserNamespaces: 0 }, "user.max_user_namespaces is 0", "sudo sysctl user.max_user_namespaces=15000"],
  [{ unprivilegedUserNamespaces: 0 }, "kernel.unprivileged_userns_clone is 0", "kernel.unprivileged_userns_clone=1"],
  [{ appArmorRestricts: 1 }, "AppArmor forbids user namespaces", "kernel.apparmor_restrict_unprivileged_userns=0"],
  [
    { isContainer: true },
    "this container may not make namespaces: No permissions",
    "--security-opt seccomp=unconfined",
  ],
  [{ unprivilegedUserNamespaces: 0, uid: 0 }, "bubblewrap does not work here: No permissions", "Try it by hand"],
  [{}, "bubblewrap does not work here: No permissions", "Try it by hand"],
])("%j: %s", (facts, why, fix) => {
  const found = diagnose({ ...fine, ...facts }, "bwrap: first\nNo permissions\n")
  expect(found.why).toContain(why)
  expect(found.fix).toContain(fix)
})

test("in a container too, what has nothing to do with namespaces is not blamed on it", () => {
  expect(diagnose({ ...fine, isContainer: true }, "").why).toBe("bubblewrap does not work here")
})

test("the facts are read from the files of the kernel and the system", () => {
  using folder = temporaryFolder()
  const files = {
    "/proc/sys/user/max_user_namespaces": "0\n",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
    "/proc/self/status": "Name:\tx\nSeccomp:\t2\n",
    "/proc/1/cgroup": "0::/docker/abc\n",
    "/etc/os-release": 'NAME="Rocky"\nID="rocky"\nID_LIKE="rhel centos fedora"\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(folder.path + path), { recursive: true })
    writeFileSync(folder.path + path, text)
  }
  expect(readSystemFacts({ uid: 7, places: [folder.join("bwrap")], under: folder.path })).toEqual({
    uid: 7,
    systems: ["rocky", "rhel", "centos", "fedora"],
    hasBubblewrap: false,
    maxUserNamespaces: 0,
    appArmorRestricts: 1,
    isContainer: true,
    filtersCalls: true,
  })
})
