/** Tries a draft on messages, and tells how far it is. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { postLines } from '../../api/lines';
import type { Content } from '../draft/edits';
import type { TestLine, TestReport, TestRequest } from './wire';

const PATH = '/api/v1/router/test';

/** The draft as the server wants it. */
export function documentOf(content: Content): unknown {
  return content.kind === 'toml' ? content.text : content.document;
}

/** Each report holds more than the one before; the last one is complete, unless `signal` was aborted. */
export async function* runTest(
  request: TestRequest,
  signal: AbortSignal,
): AsyncGenerator<TestReport> {
  const lines = postLines<TestLine>(PATH, request, signal, 'application/x-ndjson');
  let hasEnded = false;
  for await (const line of lines) {
    hasEnded = 'end' in line;
    yield 'end' in line ? line.end : line.progress;
  }
  if (!hasEnded) throw new Error('The server broke the test off: try it again.');
}

export type TestRun = {
  report: TestReport | null;
  isRunning: boolean;
  error: Error | null;
  start: (request: TestRequest) => void;
  stop: () => void;
};

/** One run at a time; a new one ends the one before, and leaving the page ends it too. */
export function useTestRun(): TestRun {
  const [state, setState] = useState<Pick<TestRun, 'report' | 'isRunning' | 'error'>>({
    report: null,
    isRunning: false,
    error: null,
  });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const start = useCallback((request: TestRequest) => {
    abort.current?.abort();
    const run = new AbortController();
    abort.current = run;
    const { signal } = run;
    // What the last run found stays until this one knows something.
    setState(({ report }) => ({ report, isRunning: true, error: null }));
    const follow = async () => {
      for await (const report of runTest(request, signal)) {
        if (signal.aborted) return;
        setState({ report, isRunning: true, error: null });
      }
    };
    follow().then(
      () => {
        if (!signal.aborted) setState((now) => ({ ...now, isRunning: false }));
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const told = error instanceof Error ? error : new Error(String(error));
        setState(({ report }) => ({ report, isRunning: false, error: told }));
      },
    );
  }, []);
  const stop = useCallback(() => {
    abort.current?.abort();
    setState((now) => ({ ...now, isRunning: false }));
  }, []);
  return { ...state, start, stop };
}
