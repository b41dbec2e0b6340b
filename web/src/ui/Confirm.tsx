/** Asks before something that cannot be taken back: it says what will happen, and may want a name typed. */
import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Form, FormEnd } from './Form';
import { Dialog } from './Dialog';
import { Failure } from './Notice';
import classes from './Confirm.module.css';

type Props = {
  title: string;
  /** The label of the button: what it does. */
  action: string;
  /** Has to be typed first. */
  word?: string;
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** The consequence. */
  children: ReactNode;
};

export function Confirm(props: Props) {
  const { title, action, word, isPending, error, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState('');
  const isReady = word === undefined || typed.trim() === word;
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Form className={classes.form} onSubmit={() => isReady && !isPending && onConfirm()}>
        <div className={classes.what}>{children}</div>
        <Failure error={error} />
        {word !== undefined && (
          <TextInput
            label={
              <>
                Type <b>{word}</b> to confirm
              </>
            }
            data-autofocus
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <FormEnd
          action={action}
          isReady={isReady}
          isPending={isPending}
          tone="red"
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
