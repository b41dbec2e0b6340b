/** The id of the request that failed, in small: the server's own log has it in the lines that say why. */
import classes from './RequestId.module.css';

export function RequestId({ error }: { error: Error }) {
  // Of an `ApiError`.
  const id = 'requestId' in error ? error.requestId : undefined;
  if (typeof id !== 'string') return null;
  return (
    <span className={classes.id}>
      Request <code>{id}</code>
    </span>
  );
}
