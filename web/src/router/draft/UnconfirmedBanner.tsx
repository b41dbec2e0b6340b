/** A revision that goes back by itself: how long it has, how messages fare since, and the decision. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { RouterStatus } from '../../api/model';
import { Notice } from '../../ui/Notice';
import { formatRate } from '../../ui/number';
import { confirmRevision, rollBack } from '../queries';

type Unconfirmed = NonNullable<RouterStatus['unconfirmed']>;

type Props = { unconfirmed: Unconfirmed; canEdit: boolean };

export function UnconfirmedBanner({ unconfirmed, canEdit }: Props) {
  const { revision, back_to, until, health } = unconfirmed;
  const queryClient = useQueryClient();
  const now = useNow();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['router'] });
  const confirm = useMutation({ mutationFn: confirmRevision, onSettled });
  const back = useMutation({
    mutationFn: () => rollBack(back_to, `revision ${revision} was not confirmed`),
    onSettled,
  });
  const error = confirm.error ?? back.error;
  const worse = health?.worse ?? [];
  return (
    <Notice
      tone={worse.length > 0 ? 'caution' : 'info'}
      title={`Revision ${revision} is live until it is confirmed: back to revision ${back_to} in ${countdown(Date.parse(until) - now)}`}
    >
      {worse.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {health != null && worse.length === 0 && (
        <p>
          Nothing is worse than before
          {health.before != null &&
            `: ${formatRate(health.after.received)}/s received, ${formatRate(health.before.received)}/s before`}
          .
        </p>
      )}
      {error !== null && <p role="alert">{error.message}</p>}
      {canEdit && (
        <Group gap={8} mt={8}>
          <Button variant="filled" loading={confirm.isPending} onClick={() => confirm.mutate()}>
            Confirm
          </Button>
          <Button loading={back.isPending} onClick={() => back.mutate()}>
            Go back now
          </Button>
        </Group>
      )}
    </Notice>
  );
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
