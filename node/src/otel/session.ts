/** Traced Cassandra sessions, with the same connections and verbs. */

import { type Batch, type Query, Session } from '../cql.js'
import { Call, type InstrumentOptions, Telemetry } from './call.js'
import { isView, viewOf } from './proxy.js'
import { traceQuery } from './query.js'
import { described, type Statement } from './statements.js'

/** A view of a session; `undefined` if the argument is none. */
export function traceSession(session: unknown, options: InstrumentOptions): Session | undefined {
  if (!(session instanceof Session)) return undefined
  if (isView(session)) throw new TypeError('the session is instrumented already')
  const telemetry = new Telemetry(options)
  const begin = (call: Statement): Call => new Call(telemetry, described(call, keyspaceOf(session)))
  return viewOf(session, (name, method) => {
    switch (name) {
      case 'execute':
      case 'page':
      case 'executeMany':
        return (...args) => {
          const [statement, parameters, options] = args
          return begin({ verb: name, statement, parameters, options }).run(method, args)
        }
      case 'prepare':
        return (...args) => {
          const [statement, options] = args
          return begin({ verb: name, statement, options }).run(method, args)
        }
      case 'query':
        return (...args) => {
          const [statement, parameters, options] = args
          const call = { verb: name, statement, parameters, options }
          return traceQuery(method(...args) as Query, () => begin(call))
        }
      case 'batch':
        return (...args) => viewOfBatch(method(...args) as Batch, begin)
      default:
        return undefined
    }
  })
}

function viewOfBatch(batch: Batch, begin: (call: Statement) => Call): Batch {
  const view: Batch = viewOf(batch, (name, method) => {
    // It returns itself, to be called again.
    if (name === 'add') {
      return (...args) => {
        method(...args)
        return view
      }
    }
    if (name !== 'execute') return undefined
    return (...args) => {
      const { length } = batch
      const call = { verb: name, statement: undefined, options: args[0], length }
      return begin(call).run(method, args)
    }
  })
  return view
}

/** The session's keyspace; errors of a closed session are reported by the verb itself. */
function keyspaceOf(session: Session): string {
  return session.isOpen ? (session.keyspace ?? '') : ''
}
