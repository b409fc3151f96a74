/** The benchmark of calls: single records or batches. */

import type { Failure, Job, Result } from './job.js'
import { runtime } from './measure.js'
import { rateOf } from './merge.js'
import { interleaved, type Session } from './session.js'
import { type Line, summarise, withRatios } from './summary.js'
import { table } from './table.js'

/**
 * Measures calls. Lines are added to `lines` and printed when a group is complete or interrupted.
 */
export async function measureCalls(session: Session, lines: Line[]): Promise<void> {
  const { settings } = session
  const clients = await session.usable()
  const [filler] = clients
  if (filler === undefined) return
  if (settings.populate && settings.workload.trim() !== 'I') {
    await session.fill(session.job('populate', filler))
  }
  const groups = settings.processes.flatMap((processes) =>
    settings.inFlight.map((inFlight) => ({ inFlight, processes })),
  )
  session.expect(groups.length * clients.length * settings.rounds)
  for (const group of groups) {
    const rounds = new Map<string, (Result | Failure)[]>(clients.map((client) => [client, []]))
    try {
      for (const client of interleaved(clients, settings.rounds)) {
        const job: Job = {
          ...session.job('measure', client),
          concurrency: group.inFlight,
          processes: group.processes,
        }
        if (settings.batch > 1) job.shape = { kind: 'batch-read', rows: settings.batch, way: '' }
        rounds.get(client)?.push(await session.measure<Result>(job, named(job), brief))
      }
    } finally {
      const measured = [...rounds].filter(([, all]) => all.length > 0)
      const summaries = measured.map(([client, all]) => summarise({ client, ...group }, all))
      if (summaries.length > 0) show(session, withRatios(summaries, 'spikewire'), lines)
    }
  }
}

function show(session: Session, summaries: readonly Line[], lines: Line[]): void {
  lines.push(...summaries)
  const { batch } = session.settings
  const { inFlight, processes } = summaries[0] as Line
  const work = batch === 1 ? 'single records' : `batches of ${batch}`
  const many = processes === 1 ? '' : `, ${processes} processes`
  const where = `${runtime()}, cluster ${session.site.title}`
  const title = `${work}, ${inFlight} in flight${many}, ${where}`
  process.stdout.write(`${table(title, summaries, batch)}\n`)
}

function named(job: Job): string {
  const many = (job.processes ?? 1) === 1 ? '' : ` in ${job.processes} processes`
  return `${job.client}, ${job.concurrency} in flight${many}`
}

/** A one-line summary of a run. */
function brief(result: Result): string {
  const unit = result.operations > 0 ? result.operations : Number.NaN
  const cpu = ((result.cpu.user + result.cpu.system) * 1e6) / unit
  const rate = Math.round(rateOf(result)).toLocaleString('en-US')
  const wrong = result.errors > 0 ? `, ${result.errors} errors: ${result.first_error}` : ''
  return `${rate}/s, ${cpu.toFixed(2)} us CPU each${wrong}`
}
