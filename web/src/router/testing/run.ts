/** Tests a draft on messages, and reports the progress. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { postLines } from '../../api/lines';
import type { Content } from '../draft/edits';
import type { TestLine, TestReport, TestRequest } from './wire';

const PATH = '/api/v1/router/test';

/** The draft in the form that the server expects. */
export function documentOf(content: Content): unknown {
  return content.kind === 'toml' ? content.text : content.document;
}

/**
 * Each report covers more than the one before; the last one is complete, unless `signal` was
 * aborted.
 */
export async function* runTest(
  request: TestRequest,
  signal: AbortSignal,
): AsyncGenerator<TestReport> {
  const lines = postLines<TestLine>(PATH, request, signal, 'application/x-ndjson');
  let hasEnded = false;
  for await (const line of lines) {
    const report = line.end ?? line.progress;
    hasEnded = line.end !== undefined;
    if (report !== undefined) yield report;
  }
  if (!hasEnded) throw new Error('The server broke the test off: try it again.');
}

export type TestRun<Subject> = {
  report: TestReport | null;
  /** The subject of the report. */
  subject: Subject | null;
  /** Whether the report is from a run before the latest one. */
  isOld: boolean;
  /** The seconds until the figures are exact; null while unknown. */
  secondsLeft: number | null;
  isRunning: boolean;
  error: Error | null;
  start: (request: TestRequest, subject: Subject) => void;
  stop: () => void;
};

type State<Subject> = Omit<TestRun<Subject>, 'start' | 'stop'>;

const still = { secondsLeft: null, isRunning: false, isOld: false, error: null };

/** There is one run at a time; a new one ends the previous one, and so does leaving the page. */
export function useTestRun<Subject>(): TestRun<Subject> {
  const [state, setState] = useState<State<Subject>>({ ...still, report: null, subject: null });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = useCallback((request: TestRequest, subject: Subject) => {
    abort.current?.abort();
    const run = new AbortController();
    abort.current = run;
    const { signal } = run;
    // The last report is shown until this run has its first one.
    setState((now) => ({ ...now, ...still, isRunning: true, isOld: now.report !== null }));
    let first: TestReport | null = null;
    const follow = async () => {
      for await (const report of runTest(request, signal)) {
        if (signal.aborted) return;
        // The sample takes time of its own, before work on the exact figures starts.
        if (first === null || first.fraction === 0) first = report;
        const left = secondsLeft(first, report);
        setState({ ...still, report, subject, secondsLeft: left, isRunning: true });
      }
    };
    follow().then(
      () => {
        if (!signal.aborted) setState((now) => ({ ...now, isRunning: false }));
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const told = error instanceof Error ? error : new Error(String(error));
        setState((now) => ({
          ...still,
          // The report of another run would be mistaken for one of this run.
          ...(now.isOld ? { report: null, subject: null } : now),
          isRunning: false,
          error: told,
        }));
      },
    );
  }, []);
  const stop = useCallback(() => {
    abort.current?.abort();
    setState((now) => ({ ...now, isRunning: false, isOld: false }));
  }, []);
  return { ...state, start, stop };
}

/** Estimates the seconds left from the progress since an earlier report. */
export function secondsLeft(first: TestReport, now: TestReport): number | null {
  const done = now.fraction - first.fraction;
  const ms = now.took_ms - first.took_ms;
  return done > 0 && ms > 0 ? Math.ceil((ms * (1 - now.fraction)) / done / 1_000) : null;
}
