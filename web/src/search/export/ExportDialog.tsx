/** Exports all messages of a search to a file: shows the format, their number and the progress. */
import { Button, Checkbox, Group, Progress as ProgressBar, Stack, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../api/client';
import { Dialog } from '../../ui/Dialog';
import { Switcher } from '../../ui/Fields';
import { Failure, Notice } from '../../ui/Notice';
import { formatBytes, formatCount, formatRate } from '../../ui/number';
import type { SearchState } from '../searchParams';
import { Code } from '../share/Code';
import { askOf, hasStages } from '../share/ask';
import { exportCommand, exportCurl } from '../share/shell';
import {
  type ExportChoice,
  type Format,
  type Way,
  coreColumns,
  exportPath,
  formats,
  hasColumns,
  isColumnar,
  wayOf,
} from './choice';
import { filePicker } from './sinks';
import { type ExportRun, useExport } from './useExport';
import classes from './Export.module.css';
import { serverUrl } from '../../base';
import { useIsText } from '../query/explain';
import { durationText, exportRateOf } from './rate';

type Props = { state: SearchState; onClose: () => void };

export function ExportDialog({ state, onClose }: Props) {
  const isTable = hasStages(state);
  const [choice, setChoice] = useState<ExportChoice>({
    format: isTable ? 'csv' : 'ndjson',
    order: 'newest',
    columns: isTable ? [] : ['time', ...state.columns],
    copies: false,
  });
  const [isHeld, setHeld] = useState(false);
  const isText = useIsText(state);
  const counting = useQuery({
    queryKey: ['export-count', askOf(state, 'filter')],
    queryFn: ({ signal }) =>
      unwrap(
        client.POST('/api/v1/count', {
          body: { ...askOf(state, 'filter'), unparsed: 'text' },
          signal,
        }),
      ),
    staleTime: 10_000,
  });
  const copies = counting.data?.copies ?? 0;
  const messages = counting.data?.count;
  const counted = messages === undefined ? undefined : messages + (choice.copies ? copies : 0);
  const count = isTable ? 0 : counted;
  const { run, start, cancel } = useExport(state);
  const way = wayOf(filePicker() !== null, count);
  // A long export must not be ended by accident.
  const close = () => (run.kind === 'running' ? setHeld(true) : onClose());
  const change = (part: Partial<ExportChoice>) => setChoice({ ...choice, ...part });
  return (
    <Dialog opened onClose={close} title="Export" size="xl">
      <Stack gap="md">
        <p className={classes.count} role="status">
          {isTable && 'The table that the stages make, with all of its rows.'}
          {!isTable && counting.isLoading && 'Counting the messages…'}
          {!isTable && count !== undefined && (
            <>
              <strong>{formatCount(count)}</strong> {count === 1 ? 'message' : 'messages'}
              {counting.data?.coverage.complete === false && ' or more'}
            </>
          )}
        </p>
        <Failure error={counting.error} onRetry={() => void counting.refetch()} />
        {copies > 0 && (
          <Checkbox
            label={`With ${copies === 1 ? 'the copy' : `the ${formatCount(copies)} copies`} that other logspaces have of these messages`}
            checked={choice.copies}
            onChange={(event) => change({ copies: event.currentTarget.checked })}
          />
        )}
        <Choices choice={choice} isTable={isTable} onChange={change} />
        {run.kind !== 'idle' && <RunView run={run} />}
        {run.kind === 'running' && isHeld && (
          <p role="alert">The export is still running. Cancel it to close this.</p>
        )}
        <Group gap={8}>
          {run.kind === 'running' ? (
            <Button onClick={cancel}>Cancel</Button>
          ) : (
            <Begin
              way={way}
              path={exportPath(state, choice)}
              disabled={count === undefined || (count === 0 && !isTable)}
              onStart={(chosen) => void start(choice, chosen)}
            />
          )}
          <span className={classes.way}>{wayText(way, count)}</span>
        </Group>
        <details className={classes.commands}>
          <summary>The same from a terminal</summary>
          <Stack gap="sm" mt={8}>
            <p className={classes.explain}>Both take an API token from LOGSTEAD_TOKEN.</p>
            <Code
              label="logstead command"
              text={exportCommand(serverUrl(), state, choice, isText)}
            />
            <Code label="curl command" text={exportCurl(serverUrl(), state, choice, isText)} />
          </Stack>
        </details>
      </Stack>
    </Dialog>
  );
}

type ChoicesProps = {
  choice: ExportChoice;
  isTable: boolean;
  onChange: (part: Partial<ExportChoice>) => void;
};

function Choices({ choice, isTable, onChange }: ChoicesProps) {
  // A table has no raw bytes, and its own order.
  const offered = isTable ? formats.filter((format) => format !== 'raw') : formats;
  return (
    <>
      <Group gap="lg">
        <div>
          <div className="marginBottom4 meta medium">Format</div>
          <Switcher
            label="Format"
            value={choice.format}
            texts={labels}
            offered={offered}
            onChange={(format) => onChange({ format })}
          />
        </div>
        {!isTable && (
          <div>
            <div className="marginBottom4 meta medium">Order</div>
            <Switcher
              label="Order"
              value={choice.order}
              texts={{ newest: 'Newest first', oldest: 'Oldest first' }}
              onChange={(order) => onChange({ order })}
            />
          </div>
        )}
      </Group>
      <p className={classes.explain}>{explain(choice.format, isTable)}</p>
      {hasColumns(choice.format) && !isTable && (
        <TagsInput
          size="xs"
          label="Columns"
          description={`From left to right. Any field can be a column: write its name and press Enter.${
            isColumnar(choice.format)
              ? ' A type may stand behind it, such as status:integer; the others are number, boolean, time, list and text.'
              : ''
          }`}
          data={[...coreColumns]}
          value={[...choice.columns]}
          onChange={(columns) => onChange({ columns: columns.filter((name) => name !== '') })}
          splitChars={[',', ' ']}
          clearable
          placeholder={choice.columns.length === 0 ? 'time, received, host, program, …' : ''}
        />
      )}
    </>
  );
}

type BeginProps = {
  way: Way;
  path: string;
  disabled: boolean;
  onStart: (way: Exclude<Way, 'link'>) => void;
};

function Begin({ way, path, disabled, onStart }: BeginProps) {
  if (way === 'link' && !disabled) {
    return (
      <Button variant="filled" component="a" href={path} download>
        Download
      </Button>
    );
  }
  return (
    <Button variant="filled" disabled={disabled} onClick={() => way !== 'link' && onStart(way)}>
      {way === 'file' ? 'Choose a file and export' : 'Export'}
    </Button>
  );
}

function wayText(way: Way, count: number | undefined): string {
  if (count === undefined) return '';
  switch (way) {
    case 'file':
      return 'Written to the disk as it comes; the file appears when it is whole.';
    case 'memory':
      return 'Downloads when complete.';
    case 'link':
      return 'Too much to hold in this page: the browser downloads it and shows how far it is. A download that it calls failed was cut off.';
  }
}

const labels: Readonly<Record<Format, string>> = {
  ndjson: 'NDJSON',
  csv: 'CSV',
  raw: 'Raw',
  arrow: 'Arrow',
  parquet: 'Parquet',
};

function explain(format: Format, isTable: boolean): string {
  switch (format) {
    case 'ndjson':
      return isTable
        ? 'A row on each line, as JSON.'
        : 'A message on each line, as JSON with all fields.';
    case 'csv':
      return 'For spreadsheets, with the names of the columns in the first line.';
    case 'raw':
      return 'The bytes as they were received, a line feed after each message.';
    case 'arrow':
      return 'An Arrow stream, for pandas, Polars and other programs: columns with types, and times with nanoseconds.';
    case 'parquet':
      return 'A compressed file, for DuckDB, pandas, Spark and other programs: columns with types, and times with nanoseconds.';
  }
}

/** The progress of an export, or its outcome. */
function RunView({ run }: { run: ExportRun }) {
  switch (run.kind) {
    case 'idle':
      return null;
    case 'running':
      return <Running {...run} />;
    case 'done':
      return (
        <Notice tone="info" title="Exported">
          {formatCount(run.progress.rows)} rows, {formatBytes(run.progress.bytes)} in{' '}
          {durationText(run.tookMs / 1000)}
        </Notice>
      );
    case 'cancelled':
      return (
        <Notice tone="info" title="Cancelled">
          Nothing was saved.
        </Notice>
      );
    case 'failed':
      return <Notice tone="error" title={run.error.message} />;
  }
}

function Running({ progress, tookMs }: Extract<ExportRun, { kind: 'running' }>) {
  const { rows, rowsMax, bytes } = progress;
  const pace = exportRateOf(progress, tookMs);
  const share = rowsMax === null || rowsMax === 0 ? 0 : Math.min(1, rows / rowsMax);
  return (
    <div>
      <ProgressBar value={share * 100} aria-label="Exported" size="sm" />
      <div className="flex wrap gap4x16 marginTop4 minHeight24 meta">
        {(0 < rows || rowsMax !== null) && (
          <span>
            {formatCount(rows)}
            {rowsMax !== null && ` of ${formatCount(rowsMax)}`}
          </span>
        )}
        <span>{formatBytes(bytes)}</span>
        {pace !== null && 0 < rows && <span>{formatRate(pace.rowsPerSecond)} rows/s</span>}
        {pace !== null && <span>{formatBytes(Math.round(pace.bytesPerSecond))}/s</span>}
        <span className="toEnd">
          {pace?.secondsLeft != null && `${durationText(pace.secondsLeft)} left`}
        </span>
      </div>
    </div>
  );
}
