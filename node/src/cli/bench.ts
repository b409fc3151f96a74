/** `spikewire bench`: puts a cluster under load, beside npm `aerospike` where that is installed. */

import { writeFileSync } from 'node:fs'
import { cpus, platform, release } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedCluster, givenCluster, type Site } from '../bench/cluster.js'
import { parseFlags, type Settings, USAGE } from '../bench/flags.js'
import type { Description, Failure, Job, Result } from '../bench/job.js'
import { runtime } from '../bench/measure.js'
import { type Cell, flawed, type Line, summarise, withRatios } from '../bench/summary.js'
import { table } from '../bench/table.js'
import { inChildren } from '../bench/together.js'

const FLAWED = 1
const REFUSED = 2
const INTERRUPTED = 130
const FILL_WORKERS = 128

/** Runs the command. */
export async function run(args: string[]): Promise<number> {
  let settings: Settings | undefined
  try {
    settings = parseFlags(args)
  } catch (error) {
    process.stderr.write(`spikewire bench: ${error instanceof Error ? error.message : error}\n`)
    return REFUSED
  }
  if (settings === undefined) {
    process.stdout.write(USAGE)
    return 0
  }
  const stop = new AbortController()
  const interrupt = () => stop.abort(new Error('interrupted'))
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await new Bench(settings, stop.signal).run()
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/** One benchmark from start to end. */
class Bench {
  readonly #settings: Settings
  readonly #signal: AbortSignal
  readonly #skipped: Description[] = []
  readonly #groups: Line[][] = []
  readonly #began = new Date()

  constructor(settings: Settings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
  }

  async run(): Promise<number> {
    const { hosts, nodes, namespace, serverThreads } = this.#settings
    const site =
      hosts === undefined
        ? await embeddedCluster({ nodes, namespaces: [namespace], threads: serverThreads })
        : givenCluster(hosts)
    try {
      await this.#measureAll(site)
    } catch (error) {
      if (!this.#signal.aborted) throw error
    } finally {
      site.close()
    }
    for (const { client, unavailable } of this.#skipped) {
      process.stdout.write(`skipped: ${client}: ${unavailable}\n`)
    }
    if (this.#settings.json !== undefined) this.#write(this.#settings.json, site)
    if (this.#signal.aborted) {
      process.stdout.write('interrupted: what is above is not complete\n')
      return INTERRUPTED
    }
    return this.#groups.flat().some(flawed) || this.#groups.length === 0 ? FLAWED : 0
  }

  async #measureAll(site: Site): Promise<void> {
    const settings = this.#settings
    const clients: string[] = []
    for (const client of settings.clients) {
      const found = await inChildren(this.#job({ client }, site, 'describe'), this.#signal)
      this.#signal.throwIfAborted()
      if ('failed' in found) this.#skip(client, found.failed)
      else if ('unavailable' in found && found.unavailable !== null) {
        this.#skip(client, found.unavailable)
      } else clients.push(client)
    }
    const [filler] = clients
    if (filler === undefined) return
    if (settings.populate && settings.workload.trim() !== 'I') await this.#fill(filler, site)
    const cells = settings.processes.flatMap((processes) =>
      settings.inFlight.map((inFlight) => ({ inFlight, processes })),
    )
    const total = cells.length * clients.length * settings.rounds
    let done = 0
    for (const { inFlight, processes } of cells) {
      const rounds = new Map<string, (Result | Failure)[]>(clients.map((client) => [client, []]))
      try {
        for (let round = 0; round < settings.rounds; round++) {
          for (let at = 0; at < clients.length; at++) {
            // No client always goes first.
            const client = clients[(at + round) % clients.length] as string
            await sleep(settings.pause * 1000, undefined, { signal: this.#signal })
            const job = this.#job({ client, inFlight, processes }, site, 'measure')
            const answer = (await inChildren(job, this.#signal)) as Result | Failure
            this.#signal.throwIfAborted()
            rounds.get(client)?.push(answer)
            this.#say(`[${++done}/${total}] ${named(job)}: ${brief(answer)}`)
          }
        }
      } finally {
        this.#show({ inFlight, processes }, rounds, site)
      }
    }
  }

  async #fill(client: string, site: Site): Promise<void> {
    const { keys, set } = this.#settings
    this.#say(`writing ${keys.toLocaleString('en-US')} records to ${set}`)
    const cell = { client, inFlight: Math.min(FILL_WORKERS, keys) }
    const job = this.#job(cell, site, 'populate')
    job.shape = { kind: 'single', rows: 1, way: '' }
    const filled = (await inChildren(job, this.#signal)) as Result | Failure
    this.#signal.throwIfAborted()
    if ('failed' in filled) throw new Error(`the records could not be written: ${filled.failed}`)
    if (filled.operations !== keys) {
      throw new Error(`the records could not be written: ${filled.first_error}`)
    }
  }

  #show(
    group: Omit<Cell, 'client'>,
    rounds: ReadonlyMap<string, (Result | Failure)[]>,
    site: Site,
  ): void {
    const measured = [...rounds].filter(([, all]) => all.length > 0)
    if (measured.length === 0) return
    const lines = withRatios(
      measured.map(([client, all]) => summarise({ client, ...group }, all)),
      'spikewire',
    )
    this.#groups.push(lines)
    const { batch } = this.#settings
    const work = batch === 1 ? 'single records' : `batches of ${batch}`
    const many = group.processes === 1 ? '' : `, ${group.processes} processes`
    const title = `${work}, ${group.inFlight} in flight${many}, ${runtime()}, cluster ${site.title}`
    process.stdout.write(`${table(title, lines, batch)}\n`)
  }

  #write(path: string, site: Site): void {
    const found = {
      schema: 1,
      kind: 'bench',
      interrupted: this.#signal.aborted,
      environment: {
        date: this.#began.toISOString(),
        command_line: process.argv.slice(1),
        system: `${platform()} ${release()} ${process.arch}`,
        cpu_model: cpus()[0]?.model ?? null,
        cpu_count: cpus().length,
        runtime: runtime(),
        cluster: site.title,
      },
      settings: this.#settings,
      skipped: this.#skipped,
      cells: this.#groups.flat(),
    }
    writeFileSync(path, `${JSON.stringify(found, null, 1)}\n`)
    this.#say(`written to ${path}`)
  }

  #skip(client: string, reason: string): void {
    this.#skipped.push({ client, unavailable: reason, version: null })
    this.#say(`skipped: ${client}: ${reason}`)
  }

  #say(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  #job(cell: Partial<Cell>, site: Site, action: string): Job {
    const settings = this.#settings
    return {
      action,
      client: cell.client as string,
      mode: 'node',
      concurrency: cell.inFlight ?? 1,
      processes: cell.processes ?? 1,
      shape: {
        kind: settings.batch === 1 ? 'single' : 'batch-read',
        rows: settings.batch,
        way: '',
      },
      seeds: site.seeds,
      namespace: settings.namespace,
      set: settings.set,
      keys: settings.keys,
      bins: settings.bins,
      workload: settings.workload,
      warmup: settings.warmup,
      duration: settings.duration,
      sample_every: settings.sampleEvery,
      seed: settings.seed,
      cpus: [],
      server_pid: site.pid,
    }
  }
}

function named(job: Job): string {
  const many = (job.processes ?? 1) === 1 ? '' : ` in ${job.processes} processes`
  return `${job.client}, ${job.concurrency} in flight${many}`
}

/** One run in a few words. */
function brief(answer: Result | Failure): string {
  if ('failed' in answer) return `failed: ${answer.failed}`
  const unit = answer.operations > 0 ? answer.operations : Number.NaN
  const cpu = ((answer.cpu.user + answer.cpu.system) * 1e6) / unit
  const rate = Math.round(answer.operations / answer.elapsed).toLocaleString('en-US')
  const wrong = answer.errors > 0 ? `, ${answer.errors} errors: ${answer.first_error}` : ''
  return `${rate}/s, ${cpu.toFixed(2)} us CPU each${wrong}`
}
