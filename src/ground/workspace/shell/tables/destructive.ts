/** Deeds that cannot be taken back, and what is at risk. Only ever used to warn, never to allow. */

import type { Deed } from "./deed.ts"
import { gitDeeds } from "./destructive-git.ts"

const rows = "the data in the database is lost"

export const deeds: readonly Deed[] = [
  ...gitDeeds,
  {
    program: /^rm$/,
    flags: ["-r", "-R", "--recursive"],
    what: "rm -r",
    risk: "whole folders are removed for good",
    loses: "files",
  },
  { program: /^find$/, flags: ["-delete"], what: "find -delete", risk: "every file that matches is removed for good" },
  {
    program: /^(?:shred|srm|wipe)$/,
    what: "overwriting files",
    risk: "the content cannot be brought back",
    loses: "files",
  },
  { program: /^truncate$/, what: "truncate", risk: "the rest of the file is lost" },
  { program: /^dd$/, operand: /^of=/, what: "dd", risk: "whatever the target holds is overwritten" },
  {
    program: /^(?:mkfs(?:\..*)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|parted|blkdiscard)$/,
    what: "making a file system or partition",
    risk: "everything on the disk is lost",
  },
  {
    program: /^(?:chmod|chown|chgrp)$/,
    flags: ["-R", "--recursive"],
    what: "changing rights of a whole folder",
    risk: "the former rights are not kept anywhere",
    loses: "files",
  },
  {
    program: /^(?:rsync)$/,
    flags: ["--delete", "--delete-after", "--delete-before", "--remove-source-files"],
    what: "rsync --delete",
    risk: "files at the target that the source lacks are removed",
  },
  { program: /^(?:kill)$/, operand: /^-1$/, what: "kill of every process", risk: "all your programs end" },
  {
    program: /^(?:killall|pkill|skill)$/,
    what: "killing processes by name",
    risk: "programs that have nothing to do with this may end",
  },
  {
    program: /^(?:shutdown|reboot|halt|poweroff|init|telinit)$/,
    what: "stopping the machine",
    risk: "everything that runs ends",
  },
  { program: /^crontab$/, flags: ["-r"], what: "crontab -r", risk: "all scheduled jobs are removed" },
  {
    program: /^(?:iptables|ip6tables|nft|ufw)$/,
    flags: ["-F", "--flush"],
    operand: /./,
    what: "flushing firewall rules",
    risk: "the machine may become open or unreachable",
  },
  {
    program: /^(?:userdel|groupdel|deluser|delgroup)$/,
    what: "removing a user",
    risk: "the account and perhaps its files are removed",
  },
  { program: /^dropdb$/, what: "dropdb", risk: rows },
  {
    program: /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|clickhouse-client|cockroach|duckdb|mongosh?|mysqladmin|bq)$/,
    operand: /\b(?:drop|truncate|delete\s+from|dropDatabase|deleteMany|remove)\b/i,
    what: "dropping or deleting in a database",
    risk: rows,
  },
  { program: /^redis-cli$/, operand: /^(?:flushall|flushdb|del|unlink)$/i, what: "redis flush", risk: rows },
  {
    program: /^(?:rails|rake|bundle)$/,
    operand: /^db:(?:drop|reset|purge|schema:load)/,
    what: "dropping the database",
    risk: rows,
  },
  {
    program: /^(?:prisma|npx|pnpm|yarn|bunx)$/,
    operand: /^(?:reset|--force-reset)$/,
    what: "resetting the database",
    risk: rows,
  },
  {
    program: /^docker$|^podman$/,
    operand: /^prune$/,
    what: "docker prune",
    risk: "stopped containers, images or volumes are removed",
  },
  {
    program: /^docker$|^podman$/,
    words: ["volume"],
    operand: /^(?:rm|remove)$/,
    what: "docker volume rm",
    risk: "the data in the volume is lost",
  },
  {
    program: /^docker$|^podman$/,
    words: ["rm"],
    what: "docker rm",
    risk: "containers and what only they hold are removed",
  },
  { program: /^docker$|^podman$/, words: ["rmi"], what: "docker rmi", risk: "images are removed" },
  {
    program: /^docker$|^podman$|^docker-compose$/,
    operand: /^down$/,
    flags: ["-v", "--volumes"],
    what: "docker compose down -v",
    risk: "the data in the volumes is lost",
  },
  {
    program: /^kubectl$|^oc$/,
    operand: /^(?:delete|drain|replace)$/,
    what: "kubectl delete",
    risk: "running services and their data may be removed",
  },
  {
    program: /^helm$/,
    operand: /^(?:uninstall|delete|rollback)$/,
    what: "helm uninstall",
    risk: "a running release is removed",
  },
  {
    program: /^(?:terraform|tofu|terragrunt|pulumi|cdk|cdktf)$/,
    operand: /^(?:-?-?destroy|apply|up|deploy)$/,
    what: "changing infrastructure",
    risk: "real machines, data and money are touched",
  },
  {
    program: /^aws$/,
    operand: /^(?:rm|rb|delete.*|terminate.*|purge.*|deregister.*)$/,
    what: "deleting at AWS",
    risk: "resources and data in the cloud are removed",
  },
  {
    program: /^(?:gcloud|az|gsutil|doctl|flyctl|fly|heroku|vercel|netlify|railway|wrangler)$/,
    operand: /(?:^|:)(?:delete|destroy|remove|rm|rb|reset|purge)$/,
    what: "deleting in the cloud",
    risk: "resources and data in the cloud are removed",
  },
  {
    program: /^(?:npm|pnpm|yarn|bun|cargo|gem|poetry|twine|uv|flit|hatch|dotnet|mvn|gradle)$/,
    operand: /^(?:publish|unpublish|yank|push|upload|deploy)$/,
    what: "publishing a package",
    risk: "the world sees it at once, and a version can hardly be taken back",
  },
  {
    program: /^gh$/,
    words: ["api"],
    operand: /^(?:-X|--method=)?delete$/i,
    what: "deleting on GitHub",
    risk: "others see it at once",
  },
  {
    program: /^gh$/,
    operand: /^(?:delete|archive|merge|close)$/,
    what: "deleting or closing on GitHub",
    risk: "others see it at once",
  },
  {
    program: /^(?:apt|apt-get|yum|dnf|pacman|brew|snap|apk)$/,
    operand: /^(?:remove|purge|autoremove|uninstall|erase|-R.*|del)$/,
    what: "removing system packages",
    risk: "other programs may need them",
  },
]
