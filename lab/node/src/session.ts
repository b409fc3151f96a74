/** Common to all benchmarks: a cluster, the usable clients, jobs in child processes, saving. */

import { writeFileSync } from 'node:fs'
import { cpus, platform, release } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutPassword, withoutSecrets } from './access.js'
import { embeddedCluster, existingCluster, type Site } from './cluster.js'
import type { Settings } from './flags.js'
import type { Answer, Description, Failure, Job, Result } from './job.js'
import { runtime } from './measure.js'
import { runInChildren } from './processes.js'

const FILL_WORKERS = 128

/** One benchmark from start to end. */
export class Session {
  readonly settings: Settings
  readonly site: Site
  readonly skipped: Description[] = []
  readonly #signal: AbortSignal
  readonly #began = new Date()
  #expected = 0
  #done = 0

  private constructor(settings: Settings, site: Site, signal: AbortSignal) {
    this.settings = settings
    this.site = site
    this.#signal = signal
  }

  /** Starts the cluster that the settings ask for. */
  static async open(settings: Settings, signal: AbortSignal): Promise<Session> {
    const { access, hosts, nodes, namespace, serverThreads } = settings
    const site =
      hosts === undefined
        ? await embeddedCluster({ nodes, namespaces: [namespace], threads: serverThreads }, access)
        : existingCluster(hosts, access)
    return new Session(settings, site, signal)
  }

  close(): void {
    this.site.close()
  }

  /** Prints progress on standard error. */
  say(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  /** Runs a job. Throws if the benchmark is interrupted. */
  async start(job: Job): Promise<Answer> {
    const answer = await runInChildren(job, this.#signal)
    this.#signal.throwIfAborted()
    return withoutPassword(answer, job.access)
  }

  /** The requested clients that can be used. */
  async usable(): Promise<string[]> {
    const clients: string[] = []
    for (const client of this.settings.clients) {
      const answer = await this.start(this.job('describe', client))
      const reason =
        'failed' in answer ? answer.failed : 'unavailable' in answer ? answer.unavailable : null
      if (reason === null) clients.push(client)
      else {
        this.skipped.push({ client, unavailable: reason, version: null })
        this.say(`skipped: ${client}: ${reason}`)
      }
    }
    return clients
  }

  /** Writes the records of a job. */
  async fill(job: Job): Promise<void> {
    this.say(`writing ${job.keys.toLocaleString('en-US')} records to ${job.set}`)
    const filled = (await this.start({
      ...job,
      action: 'populate',
      concurrency: Math.min(FILL_WORKERS, job.keys),
      processes: 1,
      shape: { kind: 'single', rows: 1, way: '' },
    })) as Result | Failure
    if ('failed' in filled) throw new Error(`the records could not be written: ${filled.failed}`)
    if (filled.operations !== job.keys) {
      throw new Error(`the records could not be written: ${filled.first_error}`)
    }
  }

  /** Sets the number of runs, for the progress display. */
  expect(runs: number): void {
    this.#expected = runs
  }

  /** One run, after a pause; `brief` summarises its answer. */
  async measure<A extends Answer>(
    job: Job,
    name: string,
    brief: (answer: A) => string,
  ): Promise<A | Failure> {
    await sleep(this.settings.pause * 1000, undefined, { signal: this.#signal })
    const answer = (await this.start(job)) as A | Failure
    const outcome = 'failed' in answer ? `failed: ${answer.failed}` : brief(answer)
    this.say(`[${++this.#done}/${this.#expected}] ${name}: ${outcome}`)
    return answer
  }

  /** A job of single records with the values from the settings. */
  job(action: string, client: string): Job {
    const { settings } = this
    return {
      action,
      client,
      mode: 'node',
      concurrency: 1,
      shape: { kind: 'single', rows: 1, way: '' },
      seeds: this.site.seeds,
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
      server_pid: this.site.pid,
      ...(this.site.access ? { access: this.site.access } : {}),
    }
  }

  /** Writes the results to a file. */
  write(path: string, cells: readonly object[]): void {
    const report = {
      schema: 1,
      kind: this.settings.scan === undefined ? 'bench' : 'scans',
      interrupted: this.#signal.aborted,
      environment: {
        date: this.#began.toISOString(),
        command_line: withoutSecrets(process.argv.slice(1)),
        system: `${platform()} ${release()} ${process.arch}`,
        cpu_model: cpus()[0]?.model ?? null,
        cpu_count: cpus().length,
        runtime: runtime(),
        cluster: this.site.title,
      },
      settings: saved(this.settings),
      skipped: this.skipped,
      cells,
    }
    writeFileSync(path, `${JSON.stringify(report, null, 1)}\n`)
    this.say(`written to ${path}`)
  }
}

/** Settings for a file; of user and TLS, only their kind. */
function saved({ access, ...others }: Settings): object {
  if (access === undefined) return others
  const tls = access.tls && { client_certificate: access.tls.certificate !== '' }
  return { ...others, access: { auth: access.auth || null, tls: tls ?? null } }
}

/** `count` rounds, each starting with a different element, so that none always goes first. */
export function* interleaved<T>(all: readonly T[], count: number): Generator<T> {
  for (let round = 0; round < count; round++) {
    for (let at = 0; at < all.length; at++) yield all[(at + round) % all.length] as T
  }
}
