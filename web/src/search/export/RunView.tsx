/** The progress of an export, or its outcome. */
import { Progress as ProgressBar } from '@mantine/core';
import { Notice } from '../../ui/Notice';
import { formatBytes, formatCount, formatRate } from '../../ui/number';
import { durationText, exportRateOf } from './rate';
import type { ExportRun } from './useExport';
import classes from './Export.module.css';

export function RunView({ run }: { run: ExportRun }) {
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
      <div className={classes.numbers}>
        <span>
          {formatCount(rows)}
          {rowsMax !== null && ` of ${formatCount(rowsMax)}`}
        </span>
        <span>{formatBytes(bytes)}</span>
        {pace !== null && <span>{formatRate(pace.rowsPerSecond)} rows/s</span>}
        {pace !== null && <span>{formatBytes(Math.round(pace.bytesPerSecond))}/s</span>}
        <span className="toEnd">
          {pace?.secondsLeft != null && `${durationText(pace.secondsLeft)} left`}
        </span>
      </div>
    </div>
  );
}
