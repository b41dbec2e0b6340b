/** One replay that runs, is done, was stopped or failed, and the way to begin and to stop it. */
import { useEffect, useRef, useState } from 'react';
import type { ReplayLine } from '../../api/model';
import { type ReplayQuestion, replay } from './destinationQueries';

export type ReplayRun =
  | { kind: 'idle' }
  | { kind: 'running'; line: ReplayLine | null }
  | { kind: 'done'; line: ReplayLine }
  | { kind: 'stopped'; line: ReplayLine | null }
  | { kind: 'failed'; line: ReplayLine | null; reason: string };

export function useReplay(id: string) {
  const [run, setRun] = useState<ReplayRun>({ kind: 'idle' });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const start = async (question: ReplayQuestion) => {
    const controller = new AbortController();
    abort.current = controller;
    let line: ReplayLine | null = null;
    setRun({ kind: 'running', line });
    try {
      for await (line of replay(id, question, controller.signal)) setRun({ kind: 'running', line });
      setRun(controller.signal.aborted ? { kind: 'stopped', line } : ended(line));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setRun(
        controller.signal.aborted ? { kind: 'stopped', line } : { kind: 'failed', line, reason },
      );
    }
  };
  return { run, start, stop: () => abort.current?.abort() };
}

/** An answer without its last line was cut off. */
function ended(line: ReplayLine | null): ReplayRun {
  if (line?.error !== undefined) return { kind: 'failed', line, reason: line.error };
  if (line?.end !== true) return { kind: 'failed', line, reason: 'the server broke it off' };
  return { kind: 'done', line };
}
