/** The oldest messages that wait for a destination or that it refused, and the actions on them. */
import { Button, Group, NumberInput, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../ui/Form';
import type { Message } from '../../api/model';
import { Dialog } from '../../ui/Dialog';
import { Failure } from '../../ui/Notice';
import { formatBytes, formatCount, formatMessages } from '../../ui/number';
import { formatTime, useZone } from '../../ui/time';
import { toast } from '../../ui/toast';
import { type List, type OldestAction, actOnOldest, listQuery } from './destinationQueries';
import classes from './Destination.module.css';

/** The field of a message in the quarantine that states why it is there. */
const REASON = 'logstead.refused';
/** The maximum length of a text that is shown; the search shows longer ones. */
const CHARACTERS_MAX = 1_000;

type Props = { list: List; id: string; canEdit: boolean; onClose: () => void };

export function ListDialog({ list, id, canEdit, onClose }: Props) {
  const { data, error, refetch } = useQuery(listQuery(list, id));
  const isQueue = list === 'queue';
  return (
    <Dialog
      opened
      onClose={onClose}
      size="xl"
      title={isQueue ? `What waits for ${id}` : `What ${id} refused`}
    >
      <div className="stack gap12">
        <Failure error={error} onRetry={() => void refetch()} />
        {data === undefined && error === null && <Skeleton height={200} aria-label="Loading" />}
        {data?.total === 0 && (
          <p className="dimmed">{isQueue ? 'Nothing waits.' : 'Nothing was refused.'}</p>
        )}
        {data !== undefined && data.total > 0 && (
          <>
            <p>
              {formatMessages(data.total)}
              {data.messages.length < data.total &&
                `; the oldest ${formatCount(data.messages.length)} are shown`}
            </p>
            {data.withheld.messages > 0 && (
              <p className="dimmed">
                {formatMessages(data.withheld.messages)} of the oldest (
                {formatBytes(data.withheld.bytes)}) are not shown: they come from sources that also
                fill logspaces which you may not search.
              </p>
            )}
            <Messages messages={data.messages} isQueue={isQueue} />
          </>
        )}
        {canEdit && data !== undefined && data.total > 0 && (
          <Group gap={16} align="flex-end">
            {!isQueue && (
              <Oldest
                id={id}
                action="sendAgain"
                total={data.total}
                label="Send the oldest again"
                button="Send again"
              />
            )}
            <Oldest
              id={id}
              action={isQueue ? 'discard' : 'forget'}
              total={data.total}
              label={isQueue ? 'Discard the oldest' : 'Forget the oldest'}
              button={isQueue ? 'Discard' : 'Forget'}
            />
          </Group>
        )}
      </div>
    </Dialog>
  );
}

type MessagesProps = { messages: readonly Message[]; isQueue: boolean };

function Messages({ messages, isQueue }: MessagesProps) {
  const [zone] = useZone();
  return (
    <ol className={classes.messages} tabIndex={0} aria-label="The oldest messages">
      {messages.map((message) => (
        <li key={message.id}>
          <p className="small dimmed">
            {formatTime(message.received, zone)} {message.host} {message.program}
          </p>
          <p className="preWrap breakAnywhere">
            {message.message.slice(0, CHARACTERS_MAX)}
            {message.message.length > CHARACTERS_MAX && '…'}
          </p>
          {!isQueue && <Reason message={message} />}
        </li>
      ))}
    </ol>
  );
}

function Reason({ message }: { message: Message }) {
  const reason = message.fields[REASON];
  if (reason === undefined) return null;
  return (
    <p className="breakAnywhere small bad">{Array.isArray(reason) ? reason.join('; ') : reason}</p>
  );
}

type OldestProps = {
  id: string;
  action: OldestAction;
  total: number;
  label: string;
  button: string;
};

/**
 * A permanent deletion has to be confirmed by typing. The request includes the count that was
 * shown, so that the server refuses to discard more.
 */
function Oldest({ id, action, total, label, button }: OldestProps) {
  const queries = useQueryClient();
  const isFinal = action !== 'sendAgain';
  const [typed, setTyped] = useState<number | string>(isFinal ? '' : total);
  const doing = useMutation({
    mutationFn: (messages: number) => actOnOldest(id, action, messages),
    onSuccess: (_, messages) => {
      setTyped('');
      toast({ tone: 'good', title: doneText(action, messages) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['router'] }),
  });
  const messages = Number(typed);
  const isMeant = Number.isInteger(messages) && messages > 0;
  return (
    <Form className={classes.oldest} onSubmit={() => isMeant && doing.mutate(messages)}>
      <NumberInput
        label={label}
        description={`${isFinal ? 'Type how many' : 'How many'}; ${formatCount(total)} are there`}
        size="sm"
        min={1}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        value={typed}
        error={doing.error?.message}
        onChange={setTyped}
      />
      <Button
        type="submit"
        size="sm"
        variant={isFinal ? 'outline' : 'filled'}
        {...(isFinal && { color: 'red' })}
        disabled={!isMeant}
        loading={doing.isPending}
      >
        {button}
      </Button>
    </Form>
  );
}

function doneText(action: OldestAction, messages: number): string {
  const what = formatMessages(messages);
  switch (action) {
    case 'discard':
      return `${what} discarded`;
    case 'sendAgain':
      return `${what} in the queue again`;
    case 'forget':
      return `${what} forgotten`;
  }
}
