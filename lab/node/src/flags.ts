/** The flags of `spikewire-bench`: parsing and validation. */

import { cpus } from 'node:os'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Access } from './access.js'
import { AUTHS, PASSWORD, parseAccess } from './access-flags.js'
import { pairs, parseSeeds } from './cluster.js'
import { CANDIDATES } from './run.js'
import { parseBins, parseWorkload } from './workload.js'

export const USAGE = `usage: spikewire-bench [OPTIONS]

Puts a cluster under load with this client and, if it is installed, with npm aerospike.
Every run is a separate process.

  --clients NAME,...      spikewire, spikewire/builder, spikewire/compat (the drop-in), aerospike;
                          default: all
  -z, --in-flight N,...   calls in flight; default: 32
  --processes N,...       processes at once, each with its own client; default: 1
  --batch N               reads of N records in one call instead of single records
  --scan N                read sets of N records, with a consumer that does nothing, one that writes
                          to a file and one that sleeps; whole scans, at least one
  --record-size N         bytes of a record that is scanned; default: 1000

cluster:
  -H, --hosts HOST[:TLS-NAME][:PORT],...
                          default: an embedded cluster on this machine
  --nodes N               of the embedded cluster; default: 3
  --server-threads N      of the embedded cluster; default: half the processors
  -n, --namespace NAME    default: test
  -s, --set NAME          default: bench

users and TLS:
  --user NAME             log in as this user
  --password TEXT         of the user; default: the variable ${PASSWORD},
                          which process lists do not show
  --auth NAME             ${AUTHS.join(', ')}; default: internal
  --tls                   encrypt all connections; implied by the other --tls- options
  --tls-ca PATH           PEM file of the authorities to trust; default: the system's
  --tls-certificate PATH  PEM file of a certificate to show to the nodes
  --tls-key PATH          PEM file of its private key
  --tls-name NAME         in the certificates of seeds that have no TLS name of their own;
                          default: their host name or address

work:
  -k, --keys N            default: 100,000
  -o, --bins SPEC,...     I<bytes>, F8, S<characters>, B<bytes>: bins b0, b1, ...; default: I1
  -w, --workload SPEC     RU,PERCENT: read that percentage and update the rest; default: RU,50
                          I: write every key once
  --seed N                of the random keys and values; default: 1
  --no-populate           the records exist already

measurement:
  -d, --duration SECONDS  default: 10
  --warmup SECONDS        before them; default: 2
  --pause SECONDS         between two runs; default: 0.5
  --rounds N              default: 1
  --lat-sample-every N    time 1 in N; default: 16
  --json PATH             also write everything to a file
`

/** The parsed flags. */
export interface Settings {
  clients: string[]
  inFlight: number[]
  processes: number[]
  /** Records per call; 1: single records. */
  batch: number
  /** Records of the set to scan; `undefined`: measure calls. */
  scan: number | undefined
  /** Bytes per record of a scan. */
  recordSize: number
  hosts: [string, number][] | undefined
  nodes: number
  serverThreads: number
  namespace: string
  set: string
  keys: number
  bins: string
  workload: string
  seed: number
  populate: boolean
  duration: number
  warmup: number
  pause: number
  rounds: number
  sampleEvery: number
  json: string | undefined
  /** User and TLS of the clients; absent: no authentication. */
  access?: Access
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  clients: { type: 'string', default: Object.keys(CANDIDATES).join(',') },
  'in-flight': { type: 'string', short: 'z', default: '32' },
  processes: { type: 'string', default: '1' },
  batch: { type: 'string', default: '1' },
  scan: { type: 'string' },
  'record-size': { type: 'string', default: '1000' },
  hosts: { type: 'string', short: 'H' },
  nodes: { type: 'string', default: '3' },
  'server-threads': { type: 'string' },
  namespace: { type: 'string', short: 'n', default: 'test' },
  set: { type: 'string', short: 's', default: 'bench' },
  keys: { type: 'string', short: 'k', default: '100000' },
  bins: { type: 'string', short: 'o', default: 'I1' },
  workload: { type: 'string', short: 'w', default: 'RU,50' },
  seed: { type: 'string', default: '1' },
  'no-populate': { type: 'boolean' },
  duration: { type: 'string', short: 'd', default: '10' },
  warmup: { type: 'string', default: '2' },
  pause: { type: 'string', default: '0.5' },
  rounds: { type: 'string', default: '1' },
  'lat-sample-every': { type: 'string', default: '16' },
  json: { type: 'string' },
  user: { type: 'string' },
  password: { type: 'string' },
  auth: { type: 'string' },
  tls: { type: 'boolean' },
  'tls-ca': { type: 'string' },
  'tls-certificate': { type: 'string' },
  'tls-key': { type: 'string' },
  'tls-name': { type: 'string' },
} as const satisfies ParseArgsConfig['options']

/** Flags that apply only to calls. */
const CALLS = 'in-flight processes batch keys bins workload warmup lat-sample-every'.split(' ')

/** Parses the arguments; `undefined` if help is requested. Throws for invalid flags. */
export function parseFlags(args: string[]): Settings | undefined {
  const { values, tokens } = parseArgs({
    args,
    options: OPTIONS,
    allowPositionals: false,
    tokens: true,
  })
  if (values.help) return undefined
  const flagNames = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const other = flagNames.find((name) =>
    (values.scan === undefined ? ['record-size'] : CALLS).includes(name),
  )
  if (other !== undefined) {
    throw new RangeError(`--${other} is ${values.scan === undefined ? '' : 'not '}for --scan`)
  }
  const seeds = values.hosts === undefined ? undefined : parseSeeds(values.hosts)
  const access = parseAccess(
    values,
    seeds?.map(([, , name]) => name),
  )
  const settings: Settings = {
    ...(access ? { access } : {}),
    clients: names(values.clients),
    inFlight: counts('--in-flight', values['in-flight']),
    processes: counts('--processes', values.processes),
    batch: count('--batch', values.batch),
    scan: values.scan === undefined ? undefined : count('--scan', values.scan),
    recordSize: count('--record-size', values['record-size']),
    hosts: seeds && pairs(seeds),
    nodes: count('--nodes', values.nodes),
    serverThreads: count(
      '--server-threads',
      values['server-threads'] ?? String(Math.max(1, Math.floor(cpus().length / 2))),
    ),
    namespace: values.namespace,
    set: values.set,
    keys: count('--keys', values.keys),
    bins: values.bins,
    workload: values.workload,
    seed: count('--seed', values.seed),
    populate: !values['no-populate'],
    duration: seconds('--duration', values.duration),
    warmup: seconds('--warmup', values.warmup),
    pause: seconds('--pause', values.pause),
    rounds: count('--rounds', values.rounds),
    sampleEvery: count('--lat-sample-every', values['lat-sample-every']),
    json: values.json,
  }
  parseBins(settings.bins)
  const inserting = parseWorkload(settings.workload) === 'insert'
  if (settings.duration === 0) throw new RangeError('--duration 0: no time to measure in')
  if (inserting && settings.batch > 1) {
    throw new RangeError('--workload I writes every key once: there is nothing to read for --batch')
  }
  if (inserting && Math.max(...settings.processes) > 1) {
    throw new RangeError('--workload I writes every key once: it takes one process')
  }
  if (settings.recordSize < 40 || settings.recordSize > 1_000_000) {
    throw new RangeError(`--record-size ${settings.recordSize}: must be 40 to 1,000,000 bytes`)
  }
  const most = Math.max(settings.batch, ...settings.inFlight)
  if (settings.keys < most) throw new RangeError(`--keys ${settings.keys}: fewer than ${most}`)
  return settings
}

function names(text: string): string[] {
  const known = Object.keys(CANDIDATES)
  const clients = [...new Set(text.split(',').map((item) => item.trim()))]
  for (const name of clients) {
    if (!known.includes(name)) {
      throw new RangeError(`--clients: '${name}' is none of ${known.join(', ')}`)
    }
  }
  return clients
}

function count(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) {
    throw new RangeError(`${flag}: '${text}' is not a whole number of 1 or more`)
  }
  return Number(text)
}

function counts(flag: string, text: string): number[] {
  return [...new Set(text.split(',').map((item) => count(flag, item.trim())))]
}

function seconds(flag: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!(value >= 0 && value <= 86_400)) {
    throw new RangeError(`${flag}: '${text}' is not a number of seconds from 0 to a day`)
  }
  return value
}
