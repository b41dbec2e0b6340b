/** The actions on all tails at once. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import {
  IconArrowBarToDown,
  IconBell,
  IconBellFilled,
  IconColumns2,
  IconEraser,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Notifications } from './useNotifications';
import classes from './TailPage.module.css';

type Props = {
  paused: boolean;
  following: boolean;
  notifications: Notifications;
  onPause: () => void;
  onFollow: () => void;
  onClear: () => void;
  /** Undefined at the maximum number of tails. */
  onSplit: (() => void) | undefined;
  /** The view menu. */
  children: ReactNode;
};

export function Tools({ paused, following, notifications, children, ...props }: Props) {
  const { wanted, toggle } = notifications;
  return (
    <div className={classes.tools} role="toolbar" aria-label="Tail">
      <Tooltip label="Space">
        <Button
          variant={paused ? 'filled' : 'default'}
          leftSection={
            paused ? <IconPlayerPlayFilled size={14} /> : <IconPlayerPauseFilled size={14} />
          }
          onClick={props.onPause}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
      </Tooltip>
      <Tooltip label="Stay at the newest (f)">
        <Button
          variant={following ? 'light' : 'default'}
          aria-pressed={following}
          leftSection={<IconArrowBarToDown size={16} />}
          onClick={props.onFollow}
        >
          Follow
        </Button>
      </Tooltip>
      {children}
      <Tooltip label="Clear (Ctrl-L)">
        <ActionIcon aria-label="Clear" onClick={props.onClear}>
          <IconEraser size={18} />
        </ActionIcon>
      </Tooltip>
      <Tooltip
        label={wanted ? 'Turn notifications off' : 'Notify me of matches while I am elsewhere'}
      >
        <ActionIcon
          aria-label="Notify me of matches"
          aria-pressed={wanted}
          color={wanted ? 'pine' : 'gray'}
          onClick={toggle}
        >
          {wanted ? <IconBellFilled size={18} /> : <IconBell size={18} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip
        label={props.onSplit === undefined ? 'Four tails at most' : 'Add a tail beside this one'}
      >
        <ActionIcon
          aria-label="Split"
          disabled={props.onSplit === undefined}
          onClick={props.onSplit}
        >
          <IconColumns2 size={18} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
