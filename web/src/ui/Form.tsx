/** A form that the page handles itself, and the buttons at its end. */
import { Button, Group, type GroupProps } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: () => void };

/** The browser sends nothing: it would leave the page. */
export function Form({ onSubmit, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}

type EndProps = Omit<GroupProps, 'children'> & {
  /** The label of the button that sends the form: what it does. */
  action: ReactNode;
  isReady?: boolean;
  isPending?: boolean;
  /** The tone of the button, if what it does cannot be taken back. */
  tone?: string;
  /** Called by the button, if there is no form to send. */
  onAct?: () => void;
  onCancel: () => void;
};

export function FormEnd(props: EndProps) {
  const { action, isReady = true, isPending = false, tone, onAct, onCancel, ...rest } = props;
  return (
    <Group justify="flex-end" gap={8} {...rest}>
      <Button onClick={onCancel}>Cancel</Button>
      <Button
        type={onAct === undefined ? 'submit' : 'button'}
        variant="filled"
        loading={isPending}
        disabled={!isReady}
        onClick={onAct}
        {...(tone !== undefined && { color: tone })}
      >
        {action}
      </Button>
    </Group>
  );
}
