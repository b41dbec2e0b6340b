/** Waits for the test message, and shows it when it is there. */
import { Button } from '@mantine/core';
import { IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '../api/model';
import { seesAll, sessionQuery } from '../api/session';
import { Notice } from '../ui/Notice';
import { momentText, useZone } from '../ui/time';
import { type Arrival, waitedMs } from './arrival';
import classes from './WelcomePage.module.css';

type Props = { arrival: Arrival | undefined; error: Error | null; onNext: () => void };

export function ArrivalPanel({ arrival, error, onNext }: Props) {
  const message = arrival?.message ?? null;
  const newest = arrival?.newest ?? null;
  const { data: session } = useQuery(sessionQuery);
  const sees = session?.user != null && seesAll(session.user);
  if (error !== null && message === null) {
    return (
      <Notice tone="error" title={error.message}>
        It goes on to look for the message.
      </Notice>
    );
  }
  return (
    <div className={classes.arrival} data-arrived={message !== null} role="status">
      {message === null ? (
        <>
          <div className={classes.waiting}>
            <span className={classes.pulse} aria-hidden />
            <strong>Waiting for the message</strong>
          </div>
          {newest === null ? (
            <p className="dimmed">
              {arrival === undefined ? 'The server is being asked.' : `${nothingText(sees)} yet.`}{' '}
              This page notices it by itself.
            </p>
          ) : (
            <>
              <p className="dimmed">Other messages come in already. The newest:</p>
              <MessageLine message={newest} />
            </>
          )}
        </>
      ) : (
        <>
          <div className={classes.waiting}>
            <IconCircleCheckFilled size={20} className="rigid good" aria-hidden />
            <strong>It is here{arrival !== undefined && tookText(arrival)}</strong>
          </div>
          <MessageLine message={message} />
        </>
      )}
      <div>
        {(message !== null || newest !== null) && (
          <Button
            size="sm"
            variant={message === null ? 'default' : 'filled'}
            data-autofocus
            onClick={onNext}
          >
            Continue
          </Button>
        )}
      </div>
    </div>
  );
}

/** A user who sees only a part of the store knows nothing of the rest. */
function nothingText(sees: boolean): string {
  return sees ? 'Nothing has come in' : 'Nothing that you may see has come in';
}

export function MessageLine({ message }: { message: Message }) {
  const [zone] = useZone();
  return (
    <div className="breakAnywhere mono">
      <time className="dimmed">{momentText(message.time, zone)}</time> {message.host}{' '}
      {message.program} {message.message.slice(0, MESSAGE_CHARS_MAX)}
    </div>
  );
}

const MESSAGE_CHARS_MAX = 400;

/** `, searchable 0.3 s after it was sent` */
function tookText(arrival: Arrival): string {
  const waited = waitedMs(arrival);
  return waited === null ? '' : `, searchable ${(waited / 1000).toFixed(1)} s after it was sent`;
}
