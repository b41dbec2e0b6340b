/** One export that is running, done or failed, and the functions to start and stop it. */
import { useEffect, useRef, useState } from 'react';
import { type ExportChoice, type Way, exportPath } from './choice';
import type { SearchState } from '../searchParams';
import { filePicker, fileSink, memorySink } from './sinks';
import { type Progress, type Sink, transfer } from './transfer';

export type ExportRun =
  | { kind: 'idle' }
  | { kind: 'running'; progress: Progress; tookMs: number }
  | { kind: 'done'; progress: Progress; tookMs: number }
  | { kind: 'cancelled' }
  | { kind: 'failed'; error: Error };

const NOTHING: Progress = { rows: 0, rowsMax: null, bytes: 0 };
/**
 * The minimum interval between updates: the eye does not follow more, and each one redraws the
 * dialog.
 */
const SHOWN_EVERY_MS = 100;

export function useExport(state: SearchState) {
  const [run, setRun] = useState<ExportRun>({ kind: 'idle' });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const start = async (choice: ExportChoice, way: Exclude<Way, 'link'>) => {
    const controller = new AbortController();
    abort.current = controller;
    let began = performance.now();
    let shownAt = 0;
    try {
      const sink = await sinkOf(way, choice);
      if (sink === null) return;
      began = performance.now();
      setRun({ kind: 'running', progress: NOTHING, tookMs: 0 });
      const path = exportPath(state, choice);
      const done = await transfer(path, choice.format, sink, controller.signal, (progress) => {
        const tookMs = performance.now() - began;
        if (tookMs - shownAt < SHOWN_EVERY_MS && progress.bytes > 0) return;
        shownAt = tookMs;
        setRun({ kind: 'running', progress, tookMs });
      });
      setRun({ kind: 'done', progress: done, tookMs: performance.now() - began });
    } catch (error) {
      if (controller.signal.aborted) setRun({ kind: 'cancelled' });
      else
        setRun({
          kind: 'failed',
          error: error instanceof Error ? error : new Error(String(error)),
        });
    }
  };
  return { run, start, cancel: () => abort.current?.abort() };
}

/** Opens the destination of an export; null if the user closed the file dialog. */
async function sinkOf(way: Exclude<Way, 'link'>, { format }: ExportChoice): Promise<Sink | null> {
  const pick = way === 'file' ? filePicker() : null;
  if (pick === null) return memorySink();
  try {
    return await fileSink(await pick({ suggestedName: suggestedName(format, new Date()) }));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

/** The name that the server gives its exports: `logstead-20260102T030405Z.csv`. */
export function suggestedName(format: string, now: Date): string {
  return `logstead-${now.toISOString().replaceAll(/[-:]|\.\d+/gu, '')}.${format}`;
}
