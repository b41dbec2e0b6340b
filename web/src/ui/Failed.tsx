/** In the place of a part of the page that could not be had: what, why, and the way to try again. */
import { UnstyledButton } from '@mantine/core';
import { RequestId } from './RequestId';
import classes from './Failed.module.css';

type Props = {
  /** What failed, in the plural. */
  what: string;
  error: Error;
  onRetry: () => void;
};

export function Failed({ what, error, onRetry }: Props) {
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
