/** In the place of a part of the page that could not be had: what, why, and the way to try again. */
import { UnstyledButton } from '@mantine/core';
import classes from './PartLoadError.module.css';

type Props = {
  /** The name of the failed part, in the plural. */
  what: string;
  error: Error;
  onRetry: () => void;
};

export function PartLoadError({ what, error, onRetry }: Props) {
  return (
    <p className={classes.failed} role="status">
      {what} failed: {error.message.replace(/\.$/, '')}.{' '}
      <UnstyledButton className={classes.retry} onClick={onRetry}>
        Retry
      </UnstyledButton>{' '}
      <RequestId error={error} />
    </p>
  );
}

/** The id of the request that failed, in small: the server's own log has it in the lines that say why. */
export function RequestId({ error }: { error: Error }) {
  // The id of an `ApiError`.
  const id = 'requestId' in error ? error.requestId : undefined;
  if (typeof id !== 'string') return null;
  return (
    <span className="breakAnywhere small dimmed">
      Request <code>{id}</code>
    </span>
  );
}
