/** Traces of statements, and whether nodes agree on the schema: what system tables say. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../../../cql/session.js'
import { levelName } from '../failures.js'
import type { InetAddress } from '../types/inet-address.js'
import { Uuid } from '../types/uuid.js'

/** A trace of a statement. */
export interface QueryTrace {
  requestType: string
  coordinator: InetAddress
  parameters: { [name: string]: string }
  startedAt: Date
  /** In microseconds. */
  duration: number
  clientAddress: InetAddress | string | null
  events: { id: Uuid; activity: string; source: InetAddress; elapsed: number; thread: string }[]
}

const LOOKS = 5
const PAUSE = 400

/** Reads a trace, which servers write after they have answered. */
export async function readTrace(
  session: Session,
  traceId: Uuid,
  consistency: number | null,
): Promise<QueryTrace> {
  const level = consistency === null ? 'one' : levelName(consistency)
  // biome-ignore lint/suspicious/noExplicitAny: rows of system tables
  const rows = async (table: string): Promise<any[]> => {
    const text = `SELECT * FROM system_traces.${table} WHERE session_id = ${traceId}`
    return [...(await session.execute(text, null, { consistency: level as 'one' }))]
  }
  for (let look = 0; look < LOOKS; look++) {
    const [about] = await rows('sessions')
    if (typeof about?.duration !== 'number') {
      await sleep(PAUSE)
      continue
    }
    return {
      requestType: about.request,
      coordinator: about.coordinator,
      parameters: about.parameters,
      startedAt: about.started_at,
      duration: about.duration,
      clientAddress: about.client,
      events: (await rows('events')).map((event) => ({
        id: event.event_id,
        activity: event.activity,
        source: event.source,
        elapsed: event.source_elapsed,
        thread: event.thread,
      })),
    }
  }
  throw new Error(`the trace ${traceId} is not complete after ${LOOKS} looks`)
}

/** Whether all nodes have the same version of the schema. */
export async function isSchemaAgreed(session: Session): Promise<boolean> {
  const text = 'SELECT schema_version FROM system.'
  const local = await session.execute<{ schema_version: Uuid | null }>(`${text}local`)
  const { node } = local
  const peers = await session.execute<{ schema_version: Uuid | null }>(`${text}peers`, null, {
    node,
  })
  const versions = [...local, ...peers].map((row) => row.schema_version)
  return new Set(versions.filter((it) => it instanceof Uuid).map(String)).size === 1
}
