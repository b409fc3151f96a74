/**
 * A queue of jobs and its workers: the jobs of a worker that dies are done by another one, the result of
 * each job is written once, and a worker that is asked to end finishes what it has begun.
 *
 * A job is a record of the set `jobs`. A worker claims it with one conditional write, renews the claim
 * while it works, and writes the result only if the claim is still its own.
 */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Client, type Dataset, FilteredOut, RecordNotFound } from 'spikewire'
import { withCluster } from './seeds.js'

interface Job {
  state: 'ready' | 'claimed' | 'done'
  input: number
  /** Whose it is, and until when. */
  owner?: string
  until?: number
  result?: number
}

const CLAIM = 500
const PAUSE = 20

class JobWorker {
  readonly #jobs: Dataset<Job>
  readonly #work: (input: number) => Promise<number>
  readonly #id = randomUUID()
  readonly #stop = new AbortController()

  constructor(client: Client, work: (input: number) => Promise<number>) {
    this.#jobs = client.dataset<Job>('test', 'jobs')
    this.#work = work
  }

  /** Works until it is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      if (await this.#next()) continue
      // Nothing to do. Being stopped ends the pause.
      await sleep(PAUSE, undefined, { signal }).catch(() => undefined)
    }
  }

  /** No further job is begun; the one that is being done is finished. */
  stop(): void {
    this.#stop.abort()
  }

  async #next(): Promise<boolean> {
    const now = Date.now()
    const free = ["$.state == 'ready' or ($.state == 'claimed' and $.until < ?0)", now] as const
    await using query = this.#jobs.query({ where: free, limit: 8, bins: ['input'] })
    for await (const { key, bins } of query) {
      if (!(await this.#write(key.key as string, free, { state: 'claimed' }))) continue
      await this.#perform(key.key as string, bins.input)
      return true
    }
    return false
  }

  async #perform(id: string, input: number): Promise<void> {
    const mine = ["$.state == 'claimed' and $.owner == ?0", this.#id] as const
    const renewing = setInterval(
      () => void this.#write(id, mine, {}).catch(() => undefined),
      CLAIM / 4,
    )
    try {
      const result = await this.#work(input)
      await this.#write(id, mine, { state: 'done', result })
    } finally {
      clearInterval(renewing)
    }
  }

  /** Writes a job if the condition holds for it; returns whether it does. */
  async #write(id: string, where: readonly [string, string | number], bins: Partial<Job>) {
    const claim = { owner: this.#id, until: Date.now() + CLAIM }
    try {
      await this.#jobs.put(id, { ...claim, ...bins }, { where: [...where], exists: 'update' })
      return true
    } catch (error) {
      if (error instanceof FilteredOut || error instanceof RecordNotFound) return false
      throw error
    }
  }
}

const JOBS = 60

if (isMainThread) {
  await withCluster(async (seeds) => {
    await using client = await Client.connect(seeds)
    const jobs = client.dataset<Job>('test', 'jobs')
    // The key is stored with the job, so that a query returns it.
    const ready = Array.from({ length: JOBS }, (_, input) => [
      `job ${input}`,
      { state: 'ready', input },
    ])
    await jobs.putMany(ready as [string, Job][], { sendKey: true })
    const workers = Array.from(
      { length: 3 },
      () => new Worker(fileURLToPath(import.meta.url), { workerData: seeds }),
    )
    const count = async (where: string) => {
      let matches = 0
      for await (const _ of jobs.query({ where, bins: ['state'] })) matches++
      return matches
    }
    while ((await count("$.state == 'done'")) < 5) await sleep(PAUSE)
    // One dies in the middle of a job.
    const [first, ...others] = workers
    await first?.terminate()
    while ((await count("$.state != 'done'")) > 0) await sleep(PAUSE)
    // In a process of its own: process.on('SIGTERM', () => worker.stop())
    for (const worker of others) worker.postMessage('stop')
    const codes = await Promise.all(others.map(async (worker) => (await once(worker, 'exit'))[0]))
    const done = await count("$.state == 'done'")
    console.log(`${done} jobs done, 7 squared is ${(await jobs.get('job 7')).bins.result}`)
    console.log(`exit codes of the other workers: ${codes}`)
  })
} else {
  await using client = await Client.connect(workerData as string)
  const worker = new JobWorker(client, async (input) => {
    await sleep(2)
    return input * input
  })
  parentPort?.on('message', () => worker.stop())
  await worker.run()
  parentPort?.close()
}
