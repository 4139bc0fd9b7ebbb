/** What destroys something, and what is at risk. Only used to warn, never to allow. */

import type { DestructiveAction } from "./destructive-action.ts"
import { destructiveGitActions } from "./destructive-git.ts"

const rows = "deletes data in the database"

export const destructiveActions: readonly DestructiveAction[] = [
  ...destructiveGitActions,
  {
    program: "rm",
    flags: ["-r", "-R", "--recursive"],
    what: "rm -r",
    risk: "removes whole folders",
    loses: "files",
  },
  { program: "find", flags: ["-delete"], what: "find -delete", risk: "removes every file that matches" },
  {
    program: "shred srm wipe",
    what: "overwriting files",
    risk: "overwrites files so that their content is gone",
    loses: "files",
  },
  { program: "truncate", what: "truncate", risk: "cuts the end off a file" },
  { program: "dd", operand: /^of=/, what: "dd", risk: "overwrites the target" },
  {
    program: "mkfs mkfs.* mke2fs mkswap wipefs fdisk sfdisk gdisk sgdisk parted blkdiscard",
    what: "making a file system or partition",
    risk: "erases everything on the disk",
  },
  {
    program: "chmod chown chgrp",
    flags: ["-R", "--recursive"],
    what: "changing rights of a whole folder",
    risk: "changes permissions of whole folders",
    loses: "files",
  },
  {
    program: "rsync",
    flags: ["--delete", "--delete-after", "--delete-before", "--remove-source-files"],
    what: "rsync --delete",
    risk: "removes files at the target that the source lacks",
  },
  { program: "kill", operand: /^-1$/, what: "kill of every process", risk: "ends all your programs" },
  {
    program: "killall pkill skill",
    what: "killing processes by name",
    risk: "may end unrelated programs",
  },
  {
    program: "shutdown reboot halt poweroff init telinit",
    what: "stopping the machine",
    risk: "stops the machine",
  },
  { program: "crontab", flags: ["-r"], what: "crontab -r", risk: "removes all scheduled jobs" },
  {
    program: "iptables ip6tables nft ufw",
    flags: ["-F", "--flush"],
    operand: /./,
    what: "flushing firewall rules",
    risk: "may leave the machine open or unreachable",
  },
  {
    program: "userdel groupdel deluser delgroup",
    what: "removing a user",
    risk: "removes the account and perhaps its files",
  },
  { program: "dropdb", what: "dropdb", risk: rows },
  {
    program: "psql mysql mariadb sqlite3 sqlcmd clickhouse-client cockroach duckdb mongo mongosh mysqladmin bq",
    operand: /\b(?:drop|truncate|delete\s+from|dropDatabase|deleteMany|remove)\b/i,
    what: "dropping or deleting in a database",
    risk: rows,
  },
  { program: "redis-cli", operand: /^(?:flushall|flushdb|del|unlink)$/i, what: "redis flush", risk: rows },
  {
    program: "rails rake bundle",
    operand: /^db:(?:drop|reset|purge|schema:load)/,
    what: "dropping the database",
    risk: rows,
  },
  {
    program: "prisma npx pnpm yarn bunx",
    operand: /^(?:reset|--force-reset)$/,
    what: "resetting the database",
    risk: rows,
  },
  {
    program: "docker podman",
    operand: /^prune$/,
    what: "docker prune",
    risk: "removes stopped containers, images or volumes",
  },
  {
    program: "docker podman",
    words: ["volume"],
    operand: /^(?:rm|remove)$/,
    what: "docker volume rm",
    risk: "deletes the data in the volume",
  },
  {
    program: "docker podman",
    words: ["rm"],
    what: "docker rm",
    risk: "removes containers and the data in them",
  },
  { program: "docker podman", words: ["rmi"], what: "docker rmi", risk: "removes images" },
  {
    program: "docker podman docker-compose",
    operand: /^down$/,
    flags: ["-v", "--volumes"],
    what: "docker compose down -v",
    risk: "deletes the data in the volumes",
  },
  {
    program: "kubectl oc",
    operand: /^(?:delete|drain|replace)$/,
    what: "kubectl delete",
    risk: "may remove running services and their data",
  },
  {
    program: "helm",
    operand: /^(?:uninstall|delete|rollback)$/,
    what: "helm uninstall",
    risk: "removes a running release",
  },
  {
    program: "terraform tofu terragrunt pulumi cdk cdktf",
    operand: /^(?:-?-?destroy|apply|up|deploy)$/,
    what: "changing infrastructure",
    risk: "changes real infrastructure, which may cost money",
  },
  {
    program: "aws",
    operand: /^(?:rm|rb|delete.*|terminate.*|purge.*|deregister.*)$/,
    what: "deleting at AWS",
    risk: "removes resources and data in the cloud",
  },
  {
    program: "gcloud az gsutil doctl flyctl fly heroku vercel netlify railway wrangler",
    operand: /(?:^|:)(?:delete|destroy|remove|rm|rb|reset|purge)$/,
    what: "deleting in the cloud",
    risk: "removes resources and data in the cloud",
  },
  {
    program: "npm pnpm yarn bun cargo gem poetry twine uv flit hatch dotnet mvn gradle",
    operand: /^(?:publish|unpublish|yank|push|upload|deploy)$/,
    what: "publishing a package",
    risk: "publishes at once; a version can hardly be withdrawn",
  },
  {
    program: "gh",
    words: ["api"],
    operand: /^(?:-X|--method=)?delete$/i,
    what: "deleting on GitHub",
    risk: "is visible to others at once",
  },
  {
    program: "gh",
    operand: /^(?:delete|archive|merge|close)$/,
    what: "deleting or closing on GitHub",
    risk: "is visible to others at once",
  },
  {
    program: "apt apt-get yum dnf pacman brew snap apk",
    operand: /^(?:remove|purge|autoremove|uninstall|erase|-R.*|del)$/,
    what: "removing system packages",
    risk: "removes packages that other programs may need",
  },
]
