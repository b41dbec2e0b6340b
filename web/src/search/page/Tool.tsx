/** A button of the toolbar: its word and its sign, or the sign alone where there is no room for words. */
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import type { Room } from './room';
import classes from './Actions.module.css';

type Props = ButtonProps &
  ComponentPropsWithRef<'button'> & { label: string; icon: ReactNode; room: Room };

/** May open a menu, which sets what is in the rest of its properties. */
export function Tool({ label, icon, room, className = '', ...target }: Props) {
  return (
    <Button
      variant="subtle"
      color="gray"
      // A menu brings a name of its own.
      className={`${classes.tool ?? ''} ${className}`}
      leftSection={room === 'words' && icon}
      aria-label={label}
      title={label}
      {...target}
    >
      {room === 'words' ? label : icon}
    </Button>
  );
}
