/**
 * The values that the configurations are filled in with. The token is kept while the page is open, and nowhere else.
 */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { makeIngestToken } from '../api/tokens';
import { Notice } from '../ui/Notice';
import classes from './AgentsPage.module.css';

type Props = {
  host: string;
  /** Null where no token is needed. */
  token: string | null;
  /** The name that a new token is derived from. */
  purpose: string;
  mayMake: boolean;
  onHost: (host: string) => void;
  onToken: (token: string) => void;
};

export function PlaceForm({ host, token, purpose, mayMake, onHost, onToken }: Props) {
  const make = useMutation({
    mutationFn: () => makeIngestToken(purpose),
    onSuccess: (made) => onToken(made.token),
  });
  const isMade = make.data !== undefined && make.data.token === token;
  return (
    <>
      <div className={classes.place}>
        <TextInput
          label="Host"
          description="The name or address that senders use"
          value={host}
          spellCheck={false}
          onChange={(event) => onHost(event.currentTarget.value)}
        />
        {token !== null && (
          <div className={classes.token}>
            <TextInput
              className={classes.secret ?? ''}
              label="Token"
              description="It may send, and nothing else"
              placeholder={mayMake ? 'Paste one, or make one' : 'Paste one'}
              value={token}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onToken(event.currentTarget.value)}
            />
            {mayMake && (
              <Button
                size="sm"
                variant={token === '' ? 'filled' : 'default'}
                loading={make.isPending}
                onClick={() => make.mutate()}
              >
                Make a token
              </Button>
            )}
          </div>
        )}
      </div>
      {token !== null && isMade && (
        <p className="dimmed" role="status">
          The token “{make.data.name}” is shown this once: it is gone when you leave this page.
        </p>
      )}
      {token === '' && !mayMake && (
        <p className="dimmed">
          An administrator can make a token of the role ingest on this page. Until you paste it,
          TOKEN stands in its place below.
        </p>
      )}
      {make.error !== null && <Notice tone="error" title={make.error.message} />}
    </>
  );
}
