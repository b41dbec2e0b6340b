/** Replaces the content of a page that could not be loaded: the reason, and what to do about it. */
import type { ReactNode } from 'react';
import { UnstyledButton } from '@mantine/core';
import { Empty } from './Empty';
import { Notice } from './Notice';
import { Prose } from './Prose';

type Props = {
  /** Null if it did not fail. */
  error: Error | null;
  /** Whether the page still shows content that was loaded before. */
  isFilled: boolean;
  onRetry: () => void;
};

export function PageLoadError({ error, isFilled, onRetry }: Props): ReactNode {
  if (error === null) return null;
  switch (statusOf(error)) {
    case NO_ANSWER:
    case NO_SESSION:
      // The frame states it once for everything on the page.
      return isFilled ? null : (
        <Empty title="Not known yet">
          <p>This page fills by itself as soon as the server answers.</p>
        </Empty>
      );
    case FORBIDDEN:
      return (
        <Empty title="Not known to you">
          <p>
            <Prose text={`${error.message.replace(/\.$/, '')}.`} />
          </p>
        </Empty>
      );
    default:
      return (
        <Notice tone="error" title={error.message} onRetry={onRetry}>
          <RequestId error={error} />
        </Notice>
      );
  }
}

const NO_ANSWER = 0;
const NO_SESSION = 401;
const FORBIDDEN = 403;

/** The id of an `ApiError`. */
function statusOf(error: Error): unknown {
  return 'status' in error ? error.status : undefined;
}

type PartLoadErrorProps = {
  /** The name of the failed part, in the plural. */
  what: string;
  /** Null if it did not fail. */
  error: Error | null;
  onRetry: () => void;
};

/**
 * Replaces a part of the page that could not be loaded: its name, the reason, and a button to try
 * again.
 */
export function PartLoadError({ what, error, onRetry }: PartLoadErrorProps) {
  if (error === null) return null;
  return (
    <p className="pad4x8 breakAnywhere small bad" role="status">
      {what} failed: {error.message.replace(/\.$/, '')}.{' '}
      <UnstyledButton className="meta bold underlined accent round4" onClick={onRetry}>
        Retry
      </UnstyledButton>{' '}
      <RequestId error={error} />
    </p>
  );
}

/**
 * The id of the failed request in small print: it is also in the lines of the server's own log that
 * state the reason.
 */
function RequestId({ error }: { error: Error }) {
  // The id of an `ApiError`.
  const id = 'requestId' in error ? error.requestId : undefined;
  if (typeof id !== 'string') return null;
  return (
    <span className="breakAnywhere small dimmed">
      Request <code>{id}</code>
    </span>
  );
}
