/** A button of the toolbar: its word and its sign, or the sign alone where there is no room for words. */
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import classes from './Actions.module.css';

type Props = ButtonProps &
  ComponentPropsWithRef<'button'> & { label: string; icon: ReactNode; room: ToolbarRoom };

/** May open a menu, which sets what is in the rest of its properties. */
export function ToolButton({ label, icon, room, className = '', ...target }: Props) {
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

export type ToolbarRoom = 'words' | 'signs' | 'little';

const WORDS_PX = 860;
const SIGNS_PX = 620;

/** Before anything is measured there is room: most windows have it. */
export function toolbarRoom(width: number): ToolbarRoom {
  if (width === 0 || width >= WORDS_PX) return 'words';
  return width >= SIGNS_PX ? 'signs' : 'little';
}
