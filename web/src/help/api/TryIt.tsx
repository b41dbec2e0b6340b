/** Sends what is written, and shows the answer as it came. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Copy } from '../../ui/Copy';
import { Notice } from '../../ui/Notice';
import { formatBytes } from '../../ui/number';
import { type Values, addressOf, missingOf } from './curl';
import type { Operation } from './description';
import { type TryOutcome, send } from './send';
import classes from './Api.module.css';

/** Longer than any answer that is worth waiting for on a page. */
const WAIT_MAX_MS = 30_000;

export function TryIt({ operation, values }: { operation: Operation; values: Values }) {
  const missing = missingOf(operation, values);
  const trial = useMutation({
    mutationFn: () => send(addressOf(operation, values), AbortSignal.timeout(WAIT_MAX_MS)),
  });
  return (
    <>
      <div className={classes.try}>
        <Button
          disabled={missing.length > 0}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          Try it
        </Button>
        <span className="dimmed">
          {missing.length > 0
            ? `First write ${missing.join(' and ')} above.`
            : 'It only reads. It is sent as you, with your session.'}
        </span>
      </div>
      {trial.error !== null && (
        <Notice tone="error" title="There was no answer" onRetry={() => trial.mutate()}>
          {trial.error.message}
        </Notice>
      )}
      {trial.data !== undefined && <Shown outcome={trial.data} />}
    </>
  );
}

function Shown({ outcome }: { outcome: TryOutcome }) {
  const { status, took_ms, bytes, isCut, text } = outcome;
  return (
    <section aria-label="Answer">
      <p className={classes.outcome} role="status">
        <b data-good={status < 400}>{status}</b> in {Math.max(1, Math.round(took_ms))} ms,{' '}
        {isCut ? `the first ${formatBytes(bytes)}` : formatBytes(bytes)}
        <Copy what="the answer" text={text} />
      </p>
      <pre className={classes.code} tabIndex={0} role="region" aria-label="Body of the answer">
        {text === '' ? 'The answer has no body.' : text}
      </pre>
    </section>
  );
}
