/**
 * Sessions that are due, by what their worker must have. Those that nobody may take are passed as one: as many steps are made as there are kinds
 * of labels and folders among what is due, however many sessions wait.
 */

import { folderIndexed, now, takeable } from "./tables.ts"

/** A session that ended so many workers in a row is not tried again. */
export const mostAttempts = 25

/** The index may still have what a worker of the version before has taken. */
const isDue = `${takeable} and wake_at <= ${now} and (worker is null or lease_until < ${now}) and attempts < ${mostAttempts}`

const kinds = `with recursive kinds (labels, place) as (
   (select labels, ${folderIndexed} from fleet_sessions where ${takeable} order by labels, ${folderIndexed} limit 1)
   union all
   select following.labels, following.place from kinds cross join lateral (
     select labels, ${folderIndexed} as place from fleet_sessions
     where ${takeable} and (labels, ${folderIndexed}) > (kinds.labels, kinds.place) order by labels, ${folderIndexed} limit 1
   ) as following
 )`

const ofKind = (kind: string): string => `${isDue} and labels = ${kind}.labels and ${folderIndexed} = ${kind}.place`

/** The beginning of a statement: `next` is the session that was due first of those that the worker may have, locked for it. */
export const nextDue = (worker: string): string => `${kinds},
 first as (
   select kinds.labels, kinds.place from kinds join fleet_workers as me on me.id = ${worker} and kinds.labels <@ me.labels
     and (kinds.place = '' or me.workplaces is null or starts_with(kinds.place || '/', me.workplaces || '/'))
   cross join lateral (select wake_at from fleet_sessions where ${ofKind("kinds")} order by wake_at limit 1) as oldest
   order by oldest.wake_at limit 1
 ),
 next as (
   select found.id from first cross join lateral (
     select id from fleet_sessions where ${ofKind("first")} order by wake_at limit 1 for update skip locked
   ) as found
 )`

/** A few of each kind that have been due for longer than that: whoever was told of them has not come. */
export const overdue = (forMs: number, ofEach: number): string => `${kinds}
 select found.labels, found.folder from kinds cross join lateral (
   select labels, folder from fleet_sessions where ${ofKind("kinds")} and wake_at <= ${now} - ${forMs} order by wake_at limit ${ofEach}
 ) as found`
