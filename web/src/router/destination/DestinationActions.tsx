/**
 * The actions on a destination: pausing it, trying it, and viewing the messages that wait or were
 * refused.
 */
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DestinationStatus, QueueLeft } from '../../api/model';
import { Failure } from '../../ui/Notice';
import { formatCount } from '../../ui/number';
import type { DestinationTask, Task } from '../routerParams';
import { statusQuery } from '../queries';
import { type DestinationAction, act } from './destinationQueries';

type Props = {
  destination: DestinationStatus | QueueLeft;
  onOpen: (task: DestinationTask) => void;
};

export function DestinationActions({ destination, onOpen }: Props) {
  const { id, queue_messages: waiting, quarantined } = destination;
  const isLive = 'state' in destination;
  const queries = useQueryClient();
  const action = useMutation({
    mutationFn: (what: DestinationAction) => act(id, what),
    onSettled: () => queries.invalidateQueries({ queryKey: statusQuery.queryKey }),
  });
  const button = (what: DestinationAction, label: string) => (
    <Button
      size="compact-xs"
      aria-label={`${label}: ${id}`}
      loading={action.isPending && action.variables === what}
      onClick={() => action.mutate(what)}
    >
      {label}
    </Button>
  );
  const opener = (task: Task, label: string, count?: number) => (
    <Button
      variant="subtle"
      size="compact-xs"
      aria-label={`${label}: ${id}`}
      onClick={() => onOpen({ task, id })}
    >
      {label}
      {count !== undefined && count > 0 && ` (${formatCount(count)})`}
    </Button>
  );
  return (
    <>
      <Group gap={4} mt={4} wrap="wrap">
        {isLive &&
          destination.state !== 'disabled' &&
          (destination.state === 'paused' ? button('resume', 'Resume') : button('pause', 'Pause'))}
        {isLive && destination.state === 'retrying' && button('retry', 'Try now')}
        {opener('queue', 'Queue', waiting)}
        {opener('quarantine', 'Quarantine', quarantined)}
        {isLive && destination.state !== 'disabled' && opener('replay', 'Replay')}
      </Group>
      <Failure error={action.error} />
    </>
  );
}
