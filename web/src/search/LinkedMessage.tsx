/** The message that the address names when the results do not hold it: older, filtered out, or gone. */
import { ActionIcon, Skeleton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/client';
import { Notice } from '../ui/Notice';
import { MessageDetail } from './MessageDetail';
import { messageQuery } from './queries';
import classes from './LinkedMessage.module.css';

type Props = {
  id: string;
  onClose: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

export function LinkedMessage({ id, onClose, onFilter }: Props) {
  const { data: message, error } = useQuery(messageQuery(id));
  return (
    <section className={classes.linked} aria-label={`Message ${id}`}>
      <div className={classes.head}>
        <h2>Message {id}</h2>
        <ActionIcon aria-label="Close" onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      </div>
      {error !== null && <Missing error={error} />}
      {message !== undefined && <MessageDetail message={message} hits={null} onFilter={onFilter} />}
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
