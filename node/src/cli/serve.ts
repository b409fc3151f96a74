/** `spikewire serve`: runs an embedded cluster. */

import { constants } from 'node:os'
import { Cluster, type ClusterOptions, type TlsOptions, type UserOptions } from '../testing.js'
import { type Description, type Flags, read, UsageError } from './arguments.js'

const SERVE: Description = {
  name: 'serve',
  text:
    'Runs a cluster in this process until Ctrl-C or SIGTERM: real nodes that own partitions and ' +
    'keep their records in memory. Prints one line when it accepts connections, `ready ' +
    'HOST:PORT,HOST:PORT,...`: the seeds for clients. Exits with 0 when it is stopped, with 1 when ' +
    'it could not start, with 2 for options that do not fit.',
  options: {
    nodes: { value: 'N', number: true, default: 1, help: 'nodes in the cluster' },
    port: {
      value: 'PORT',
      number: true,
      default: 3000,
      help: 'port of the first node, the others follow; 0 takes free ports',
    },
    bind: {
      value: 'ADDRESS',
      default: '127.0.0.1',
      help: 'IP address to listen on, which clients must be able to reach',
    },
    namespace: {
      value: 'NAME',
      multiple: true,
      default: ['test'],
      help: 'namespace on every node, may be repeated',
    },
    'replication-factor': { value: 'N', number: true, default: 2, help: 'copies of every record' },
    'default-ttl': {
      value: 'SECONDS',
      number: true,
      default: 0,
      help: 'time to live of records written without one; 0: they never expire',
    },
    'nsup-period': {
      value: 'SECONDS',
      number: true,
      default: 1,
      help: 'time between two removals of expired records; 0 rejects TTLs',
    },
    'max-record-size': {
      value: 'BYTES',
      number: true,
      default: 1 << 20,
      help: 'largest record that is accepted',
    },
    'indexed-set': {
      value: 'NAME',
      multiple: true,
      default: [],
      help: 'set with an index of its records, so that scanning it visits no others; may be repeated',
    },
    'cluster-name': { value: 'NAME', default: 'spikewire', help: 'name of the cluster' },
    threads: {
      value: 'N',
      number: true,
      default: 1,
      help:
        'threads that serve connections, for all nodes together; each has a second thread for ' +
        'long replies',
    },
    build: { value: 'VERSION', default: '8.1.2.0', help: 'server version to report' },
    edition: {
      value: 'NAME',
      default: 'community',
      help: 'edition of the server: community or enterprise',
    },
    'strong-consistency': {
      help: 'with --edition enterprise: strongly consistent namespaces, which transactions need',
    },
    'strong-consistency-allow-expunge': {
      help: 'with --strong-consistency: records may be deleted without durability',
    },
    racks: {
      value: 'N,N',
      default: '',
      help: 'rack of each node, separated by commas; default: no racks',
    },
    'migration-pause': {
      value: 'MS',
      number: true,
      default: 0,
      help: 'pause after each partition that is copied, in milliseconds',
    },
    'sync-time': {
      value: 'MS',
      number: true,
      default: 50,
      help: 'for how long a node of 8.2 or later that is started again answers nothing',
    },
    'udf-time': {
      value: 'MS',
      number: true,
      default: 1000,
      help: 'CPU time that one call of a user-defined function may take, in milliseconds',
    },
    tls: {
      help: 'accept only TLS; the paths of the files for clients are printed on standard error',
    },
    'tls-name': {
      value: 'NAME',
      default: 'spikewire',
      help: 'with --tls: the name in the certificate of all nodes',
    },
    'client-certificates': { help: 'with --tls: require client certificates, too' },
    user: {
      value: 'NAME:PASSWORD',
      multiple: true,
      default: [],
      help: 'user with all permissions, may be repeated; clients must then log in',
    },
    roles: {
      value: 'NAME:ROLE,ROLE',
      multiple: true,
      default: [],
      help: 'roles of a user, instead of all permissions; may be repeated',
    },
    quotas: {
      help: 'with --user: roles may have quotas, which servers must be configured for',
    },
    'session-ttl': {
      value: 'SECONDS',
      number: true,
      default: 86_400,
      help: 'time for which users who logged in may open connections',
    },
  },
}

/** Runs the command. */
export async function run(args: string[]): Promise<number> {
  const flags = read(SERVE, args)
  if (flags === undefined) return 0
  const options = {
    nodes: flags.number('nodes'),
    port: flags.number('port'),
    bind: flags.text('bind'),
    namespaces: flags.list('namespace'),
    replicationFactor: flags.number('replication-factor'),
    defaultTtl: flags.number('default-ttl'),
    nsupPeriod: flags.number('nsup-period'),
    maxRecordSize: flags.number('max-record-size'),
    indexedSets: flags.list('indexed-set'),
    clusterName: flags.text('cluster-name'),
    threads: flags.number('threads'),
    build: flags.text('build'),
    edition: flags.text('edition') as ClusterOptions['edition'],
    strongConsistency: flags.list('strong-consistency').length > 0,
    strongConsistencyAllowExpunge: flags.list('strong-consistency-allow-expunge').length > 0,
    racks: racksOf(flags.text('racks')),
    migrationPause: flags.number('migration-pause'),
    syncTime: flags.number('sync-time'),
    udfTime: flags.number('udf-time'),
    tls: tlsOf(flags),
    users: usersOf(flags.list('user'), flags.list('roles')),
    quotas: flags.list('quotas').length > 0,
    sessionTtl: flags.number('session-ttl'),
  }
  if (options.quotas && Object.keys(options.users).length === 0) {
    throw new UsageError('--quotas goes with --user')
  }
  // Installed before the start, so that a signal during start-up also exits cleanly.
  const stopped = untilStopped()
  const cluster = await Cluster.start(options).catch((error: unknown) => {
    stopped.cancel()
    const isOption = error instanceof RangeError || error instanceof TypeError
    throw isOption ? new UsageError(error.message) : error
  })
  const files = cluster.certificates
  if (files !== undefined) {
    process.stderr.write(`authority ${files.ca}\n`)
    process.stderr.write(`certificate ${files.certificate}, key ${files.key}\n`)
  }
  process.stdout.write(`ready ${cluster.seeds}\n`)
  await stopped.promise
  await cluster.close()
  return 0
}

function tlsOf(flags: Flags): TlsOptions | false {
  const name = flags.text('tls-name')
  const clientCertificates = flags.list('client-certificates').length > 0
  if (flags.list('tls').length > 0) return { name, clientCertificates }
  if (clientCertificates || name !== 'spikewire') {
    throw new UsageError('--tls-name and --client-certificates go with --tls')
  }
  return false
}

function racksOf(text: string): number[] {
  if (text === '') return []
  if (!/^\d+(,\d+)*$/.test(text)) {
    throw new UsageError(`--racks takes numbers separated by commas, such as 1,1,2, not '${text}'`)
  }
  return text.split(',').map(Number)
}

function usersOf(texts: readonly string[], roles: readonly string[]): Record<string, UserOptions> {
  const users: Record<string, UserOptions> = {}
  for (const user of texts) {
    const colon = user.indexOf(':')
    if (colon < 0) throw new UsageError('--user takes NAME:PASSWORD')
    users[user.slice(0, colon)] = { password: user.slice(colon + 1) }
  }
  for (const text of roles) {
    const colon = text.lastIndexOf(':')
    if (colon < 0) throw new UsageError(`--roles takes NAME:ROLE,ROLE, not '${text}'`)
    const user = users[text.slice(0, colon)]
    if (user === undefined)
      throw new UsageError(`--roles: there is no --user '${text.slice(0, colon)}'`)
    user.roles = text.slice(colon + 1).split(',')
  }
  return users
}

/** Waits for Ctrl-C or SIGTERM. A second signal ends the program immediately. */
function untilStopped(): { promise: Promise<void>; cancel: () => void } {
  // Signal handlers alone do not keep a program alive.
  const alive = setInterval(() => undefined, 2 ** 30)
  const promise = new Promise<void>((resolve) => {
    const stop = () => {
      clearInterval(alive)
      for (const signal of ENDS) {
        process.off(signal, stop)
        process.once(signal, () => process.exit(128 + constants.signals[signal]))
      }
      resolve()
    }
    for (const signal of ENDS) process.once(signal, stop)
  })
  return { promise, cancel: () => clearInterval(alive) }
}

const ENDS = ['SIGINT', 'SIGTERM'] as const
