/** What an operator does about a destination, below its name in the counters. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DestinationStatus } from '../api/model';
import { Notice } from '../ui/Notice';
import { type DestinationAction, act, statusQuery } from './queries';

export function DestinationActions({ id, state }: Pick<DestinationStatus, 'id' | 'state'>) {
  const queries = useQueryClient();
  const action = useMutation({
    mutationFn: (what: DestinationAction) => act(id, what),
    onSettled: () => queries.invalidateQueries({ queryKey: statusQuery.queryKey }),
  });
  const button = (what: DestinationAction, label: string) => (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={`${label}: ${id}`}
      loading={action.isPending && action.variables === what}
      onClick={() => action.mutate(what)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <Group gap={8} mt={4}>
        {state === 'paused' ? button('resume', 'Resume') : button('pause', 'Pause')}
        {state === 'retrying' && button('retry', 'Try now')}
      </Group>
      {action.error !== null && <Notice tone="error" title={action.error.message} />}
    </>
  );
}
