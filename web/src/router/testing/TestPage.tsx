/** What the draft would have done to messages that are stored, or pasted. Nothing is sent or stored. */
import { ActionIcon, Button, NativeSelect, SegmentedControl, Textarea } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { completeIn } from '../../api/complete';
import { Notice } from '../../ui/Notice';
import { formatCount } from '../../ui/number';
import { QueryField } from '../../ui/query/QueryField';
import { type TimeRange, requestRange } from '../../ui/range';
import { type RouterDocument, idOf } from '../document';
import type { Content } from '../draft/edits';
import { CellPanel } from './CellPanel';
import { MatrixTable } from './MatrixTable';
import { Volumes } from './Volumes';
import { type Cell, matrixOf } from './outcome';
import { documentOf, useTestRun } from './run';
import type { TestReport, TestRequest } from './wire';
import classes from './Testing.module.css';

type Props = { document: RouterDocument; content: Content; onClose: () => void };

const ranges = [
  { value: '15m', label: '15 min', days: 1 / 96 },
  { value: '1h', label: 'Last hour', days: 1 / 24 },
  { value: '24h', label: '24 h', days: 1 },
  { value: '7d', label: '7 d', days: 7 },
];
const EXAMPLES = 3;
/** The server takes no more in one request. */
const PASTED_MAX = 1_000;

export function TestPage({ document, content, onClose }: Props) {
  const [span, setSpan] = useState('1h');
  const [query, setQuery] = useState('');
  const [pasted, setPasted] = useState<string | null>(null);
  const [source, setSource] = useState(idOf(document.sources[0] ?? {}));
  const [chosen, setChosen] = useState<{ row: string; column: string } | null>(null);
  const run = useTestRun();
  const range: TimeRange = { kind: 'last', span };
  const start = (next: { span?: string } = {}) => {
    const lines = (pasted ?? '').split('\n').filter((line) => line.trim() !== '');
    const request: TestRequest = {
      document: documentOf(content),
      examples: EXAMPLES,
      ...(pasted === null
        ? {
            ...requestRange({ ...range, span: next.span ?? span }),
            ...(query.trim() !== '' && { query: query.trim() }),
          }
        : { messages: lines.slice(0, PASTED_MAX).map((raw) => ({ raw, source })) }),
    };
    setChosen(null);
    run.start(request);
  };
  const { report } = run;
  const matrix = matrixOf(report?.matrix ?? []);
  const cell = chosen === null ? undefined : matrix.cells.get(chosen.row)?.get(chosen.column);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h2>Test on history</h2>
        <span className="dimmed">what the draft would have done; nothing is sent or stored</span>
        <Button ml="auto" variant="default" onClick={() => setPasted(pasted === null ? '' : null)}>
          {pasted === null ? 'Paste messages' : 'Use stored messages'}
        </Button>
        <ActionIcon aria-label="Close the test" onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </header>
      <form
        className={classes.controls}
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        {pasted === null ? (
          <>
            <SegmentedControl
              aria-label="Time range"
              value={span}
              data={ranges.map(({ value, label }) => ({ value, label }))}
              onChange={(value) => {
                setSpan(value);
                if (report !== null) start({ span: value });
              }}
            />
            <div className={classes.query}>
              <QueryField
                label="Only messages that match"
                placeholder="All messages, or only those that a search finds"
                value={query}
                complete={completeIn({ ...requestRange(range), logspaces: [] })}
                onChange={setQuery}
                onRun={() => start()}
              />
            </div>
          </>
        ) : (
          <>
            <Textarea
              className={classes.query ?? ''}
              aria-label="Messages"
              placeholder={`One message per line, as it is sent; at most ${formatCount(PASTED_MAX)}`}
              autosize
              minRows={2}
              maxRows={8}
              classNames={{ input: 'mono' }}
              value={pasted}
              onChange={(event) => setPasted(event.currentTarget.value)}
            />
            <NativeSelect
              aria-label="As if received by"
              size="sm"
              value={source}
              data={document.sources.map(idOf)}
              onChange={(event) => setSource(event.currentTarget.value)}
            />
          </>
        )}
        {run.isRunning ? (
          <Button type="button" variant="default" onClick={run.stop}>
            Stop
          </Button>
        ) : (
          <Button type="submit">{report === null ? 'Test' : 'Test again'}</Button>
        )}
      </form>
      <div className={classes.results} data-cell={cell !== undefined}>
        <div className={classes.main}>
          {run.error !== null && (
            <Notice tone="error" title={run.error.message} onRetry={() => start()} />
          )}
          {report === null && run.error === null && <Before isRunning={run.isRunning} />}
          {report !== null && report.total === 0 && !run.isRunning && (
            <Notice tone="caution" title="There is no message to try the draft on">
              None is stored in this range that the search finds. Choose a longer range, or paste
              some.
            </Notice>
          )}
          {report !== null && (report.total > 0 || run.isRunning) && (
            <>
              <Progress report={report} isRunning={run.isRunning} />
              <Summary report={report} totals={matrix.totals} />
              {report.problems.map((problem) => (
                <Notice key={problem} tone="caution" title={problem} />
              ))}
              <MatrixTable matrix={matrix} chosen={chosen} onChoose={setChosen} />
              <Volumes
                targets={report.targets}
                days={
                  pasted === null ? (ranges.find(({ value }) => value === span)?.days ?? 1) : null
                }
              />
            </>
          )}
        </div>
        {cell !== undefined && report !== null && (
          <CellPanel cell={cell satisfies Cell} report={report} onClose={() => setChosen(null)} />
        )}
      </div>
    </div>
  );
}

function Before({ isRunning }: { isRunning: boolean }) {
  return (
    <p className="dimmed" role="status">
      {isRunning
        ? 'Reading messages…'
        : 'Choose which messages, then Test: each is taken through what is live and through the draft, and the two outcomes are compared.'}
    </p>
  );
}

function Progress({ report, isRunning }: { report: TestReport; isRunning: boolean }) {
  const { messages, total, sampled, fraction, complete } = report;
  const percent = Math.round(100 * fraction);
  const says = sampled ? `Sampled ${percent} %` : `${percent} % of the messages`;
  const state = complete ? 'Every message was tried' : isRunning ? says : `Stopped. ${says}`;
  return (
    <div className={classes.progress} role="status">
      <b>{state}</b>
      <span className="dimmed">
        {formatCount(messages)} of {formatCount(total)}
      </span>
      <span className={classes.meter}>
        <span style={{ width: `${percent}%` }} />
      </span>
    </div>
  );
}

type SummaryProps = { report: TestReport; totals: ReturnType<typeof matrixOf>['totals'] };

function Summary({ report, totals }: SummaryProps) {
  const all = totals.fields + totals.other + totals.lost;
  return (
    <p className={classes.summary}>
      <b>{formatCount(all)}</b> of {formatCount(report.messages)} would change
      <span data-kind="fields">{formatCount(totals.fields)} other fields</span>
      <span data-kind="other">{formatCount(totals.other)} other outcome</span>
      <span data-kind="lost">{formatCount(totals.lost)} lost to a target</span>
    </p>
  );
}
