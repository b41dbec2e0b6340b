/** Asks before something that cannot be taken back: it says what will happen, and may want a name typed. */
import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { Dialog } from './Dialog';
import { Notice } from './Notice';
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
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isReady && !isPending) onConfirm();
  };
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form className={classes.form} onSubmit={submit}>
        <div className={classes.what}>{children}</div>
        {error !== null && <Notice tone="error" title={error.message} />}
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
        <Group justify="flex-end" gap={8}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="filled"
            type="submit"
            color="red"
            loading={isPending}
            disabled={!isReady}
          >
            {action}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
