/**
 * Asks before an action that cannot be undone: it describes the consequence, and may require a name
 * to be typed.
 */
import { type ReactNode, useState } from 'react';
import { Form, FormEnd } from './Form';
import { Dialog } from './Dialog';
import { Failure } from './Notice';
import { TextField } from './Fields';
import classes from './Confirm.module.css';

type Props = {
  title: string;
  /** The label of the button, which names the action. */
  action: string;
  /** A word that has to be typed first. */
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
          <TextField
            label={
              <>
                Type <b>{word}</b> to confirm
              </>
            }
            data-autofocus
            exact
            value={typed}
            onChange={setTyped}
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
