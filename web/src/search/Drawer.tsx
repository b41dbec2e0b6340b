/** Everything about one message, beside the results. */
import { ActionIcon, Skeleton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/client';
import type { Message } from '../api/model';
import { Notice } from '../ui/Notice';
import { MessageDetail } from './MessageDetail';
import { messageQuery } from './queries';
import type { SearchState } from './searchParams';
import classes from './Drawer.module.css';

type Props = {
  state: SearchState;
  id: string;
  /** The message, where the results hold it. */
  known: Message | undefined;
  hits: RegExp | null;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
};

export function Drawer({ id, known, hits, onChange, onFilter }: Props) {
  const { data: message = known, error } = useQuery({
    ...messageQuery(id),
    enabled: known === undefined,
  });
  const onClose = () => onChange({ open: null });
  return (
    <section className={classes.linked} aria-label={`Message ${id}`}>
      <div className={classes.head}>
        <h2>Message {id}</h2>
        <ActionIcon aria-label="Close" onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      </div>
      {error !== null && <Missing error={error} />}
      {message !== undefined && <MessageDetail message={message} hits={hits} onFilter={onFilter} />}
      {message === undefined && error === null && <Skeleton height={80} m={12} />}
    </section>
  );
}

function Missing({ error }: { error: Error }) {
  if (error instanceof ApiError && error.status === 404) {
    return <Notice tone="caution" title="This message is not in the store (any more)." />;
  }
  return <Notice tone="error" title={error.message} />;
}
