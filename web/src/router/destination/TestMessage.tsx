/** Sends a test message with the settings of the form, and shows the answer from the other side. */
import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { TestAnswer } from '../../api/model';
import { Notice } from '../../ui/Notice';
import type { Item } from '../document';
import { sendTest } from './destinationQueries';

export function TestMessage({ item }: { item: Item }) {
  const test = useMutation({ mutationFn: sendTest });
  // An answer is only valid for the form as it was when the message was sent.
  const isOfThis = test.variables === item;
  return (
    <div className="stack alignStart gap4 fullWidth">
      <Button
        leftSection={<IconSend size={14} />}
        loading={test.isPending}
        onClick={() => test.mutate(item)}
      >
        Send a test message
      </Button>
      <p className="small dimmed">As the form says, past the queue; nothing has to be applied.</p>
      {isOfThis && test.data !== undefined && <Answer {...test.data} />}
      {isOfThis && test.error !== null && <Notice tone="error" title={test.error.message} />}
    </div>
  );
}

function Answer({ ok, took_ms, answer, error }: TestAnswer) {
  if (!ok)
    return (
      <Notice tone="error" title="Not accepted">
        {error}
      </Notice>
    );
  if (answer !== undefined) {
    return (
      <Notice tone="info" title={`Accepted in ${took_ms} ms`}>
        <span className="mono">{answer}</span>
      </Notice>
    );
  }
  return (
    <Notice tone="info" title={`Sent in ${took_ms} ms`}>
      This protocol has no answers: look for the message on the other side.
    </Notice>
  );
}
