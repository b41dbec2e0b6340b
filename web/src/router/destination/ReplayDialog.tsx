/**
 * Sends stored messages to a destination again: lets the user choose them, and shows their number
 * and the progress.
 */
import { Button, Group, Progress } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Form } from '../../ui/Form';
import { logspacesQuery } from '../../api/logspaces';
import { Dialog } from '../../ui/Dialog';
import { Notice } from '../../ui/Notice';
import { TextField } from '../../ui/Fields';
import { formatCount, formatMessages } from '../../ui/number';
import { LogspacePicker } from '../../ui/picker/LogspacePicker';
import { RangePicker } from '../../ui/picker/RangePicker';
import { type TimeRange, frozen, initialRange } from '../../ui/range';
import type { ReplayLine } from '../../api/model';
import { type ReplayQuestion, replay, replayCountQuery } from './destinationQueries';

const TYPING_WAIT_MS = 300;

type Props = { id: string; onClose: () => void };

export function ReplayDialog({ id, onClose }: Props) {
  const [query, setQuery] = useState('');
  const [range, setRange] = useState<TimeRange>(initialRange);
  const [logspaces, setLogspaces] = useState<readonly string[]>([]);
  const { data: known = [] } = useQuery(logspacesQuery);
  const { run, start, stop } = useReplay(id);
  const isRunning = run.kind === 'running';
  const [settled] = useDebouncedValue(query, TYPING_WAIT_MS);
  const count = useQuery({
    ...replayCountQuery({ query: settled, range, logspaces }),
    enabled: !isRunning,
  });
  const submit = () => {
    // Messages that arrive in the meantime are sent anyway.
    void start({ query, range: frozen(range, Date.now()), logspaces });
  };
  return (
    <Dialog
      opened
      // Closing the dialog would end the replay.
      onClose={isRunning ? () => undefined : onClose}
      title={`Replay to ${id}`}
    >
      <Form className="stack gap12" onSubmit={submit}>
        <p>Puts stored messages into the queue once more, the oldest first.</p>
        <TextField
          label="Query"
          description="Empty means every message"
          data-autofocus
          disabled={isRunning}
          value={query}
          error={count.error?.message}
          onChange={setQuery}
        />
        <Group gap={8}>
          <RangePicker range={range} isInQuery={false} onChange={setRange} />
          {known.length > 1 && (
            <LogspacePicker logspaces={known} chosen={logspaces} onChange={setLogspaces} />
          )}
        </Group>
        <RunView run={run} />
        <Group justify="flex-end" gap={8}>
          <span className="grow dimmed" role="status">
            {!isRunning && count.data !== undefined && `${formatMessages(count.data)} found`}
          </span>
          <Button onClick={isRunning ? stop : onClose}>{isRunning ? 'Stop' : 'Close'}</Button>
          <Button
            variant="filled"
            type="submit"
            loading={isRunning}
            disabled={count.data === undefined || count.data === 0 || settled !== query}
          >
            Replay
          </Button>
        </Group>
      </Form>
    </Dialog>
  );
}

function RunView({ run }: { run: ReplayRun }) {
  switch (run.kind) {
    case 'idle':
      return null;
    case 'running': {
      const { messages = 0, of = 0 } = run.line ?? {};
      return (
        <div>
          <Progress
            value={of === 0 ? 0 : (messages / of) * 100}
            aria-label="Put into the queue"
            size="sm"
          />
          <p className="dimmed">
            {formatCount(messages)} of {formatMessages(of)} in the queue
          </p>
        </div>
      );
    }
    case 'done':
      return (
        <Notice tone="info" title={`${formatMessages(run.line.messages)} in the queue`}>
          {run.line.missing > 0 && `${formatMessages(run.line.missing)} cannot be read.`}
        </Notice>
      );
    case 'stopped':
      return (
        <Notice tone="info" title="Stopped">
          {formatMessages(run.line?.messages ?? 0)} in the queue; another replay begins anew.
        </Notice>
      );
    case 'failed':
      return (
        <Notice tone="error" title={run.reason}>
          {run.line !== null &&
            `${formatCount(run.line.messages)} of ${formatMessages(run.line.of)} in the queue.`}
        </Notice>
      );
  }
}

type ReplayRun =
  | { kind: 'idle' }
  | { kind: 'running'; line: ReplayLine | null }
  | { kind: 'done'; line: ReplayLine }
  | { kind: 'stopped'; line: ReplayLine | null }
  | { kind: 'failed'; line: ReplayLine | null; reason: string };

/** One replay that is running, done, stopped or failed, and the functions to start and stop it. */
function useReplay(id: string) {
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

/** If the last line is missing, the answer was cut off. */
function ended(line: ReplayLine | null): ReplayRun {
  if (line?.error !== undefined) return { kind: 'failed', line, reason: line.error };
  if (line?.end !== true) return { kind: 'failed', line, reason: 'the server broke it off' };
  return { kind: 'done', line };
}
