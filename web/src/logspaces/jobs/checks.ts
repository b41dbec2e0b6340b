/** The check of a logspace and the work on it, as its jobs tell them. Pure. */
import {
  type Job,
  type JobProgress,
  type Reindexing,
  type Verification,
  isUnfinished,
} from '../../api/jobs';
import type { Work } from '../../api/logspaces';
import { formatCount, formatPart } from '../../ui/number';

/** The last check of a logspace. */
export type Check =
  | { kind: 'none' }
  | { kind: 'waiting' }
  | { kind: 'running' }
  | { kind: 'ended'; why: string }
  | { kind: 'done'; verification: Verification; at: number };

/** The work that is going on in a logspace. `job` is null if somebody else started it. */
export type CurrentWork = { work: Omit<Work, 'job'>; job: Job | null };

const isOf = (id: string) => (job: Job) => job.kind !== 'export' && job.logspaces[0] === id;

/** The newest check of a logspace. The jobs are in the order of the server, the newest first. */
export function checkOf(jobs: readonly Job[], work: Work | null, id: string): Check {
  const job = jobs.find((one) => one.kind === 'verify' && isOf(id)(one));
  // Somebody else may have started one.
  if (work?.logspace === id && work.kind === 'verify') return { kind: 'running' };
  if (job === undefined) return { kind: 'none' };
  if (job.state === 'queued') return { kind: 'waiting' };
  if (isUnfinished(job)) return { kind: 'running' };
  if (job.result?.kind === 'verify') {
    return { kind: 'done', verification: job.result, at: Date.parse(job.finished_at ?? '') };
  }
  return { kind: 'ended', why: endText(job) };
}

/** The result of rebuilding the indexes of a logspace, if it is the last thing that was done to it. */
export function reindexingOf(jobs: readonly Job[], id: string): Reindexing | null {
  const last = jobs.find(isOf(id));
  return last?.result?.kind === 'reindex' && last.state === 'done' ? last.result : null;
}

/** The work that is going on in a logspace, or waits for its turn. */
export function workOf(jobs: readonly Job[], work: Work | null, id: string): CurrentWork | null {
  const job = jobs.findLast((one) => isUnfinished(one) && isOf(id)(one)) ?? null;
  if (job !== null) {
    return { work: { logspace: id, kind: job.kind, progress: job.progress }, job };
  }
  return work?.logspace === id ? { work, job } : null;
}

function endText({ state, problem }: Job): string {
  if (problem !== null) return problem.detail;
  if (state === 'interrupted') return 'The server stopped before it was finished: start it again';
  return 'It was cancelled: start it again';
}

/** `1.8 of 4 GiB`, `3 of 12 segments`; empty as long as the total is not known. */
export function progressText({ unit, done, total }: JobProgress): string {
  if (total === null) return '';
  if (unit === 'bytes') return formatPart(done, total);
  return `${formatCount(done)} of ${formatCount(total)} ${unit}`;
}
