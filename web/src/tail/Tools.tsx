/** The actions on all tails at once. */
import { Button, CloseButton, Menu, TextInput, Tooltip } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconArrowBarToDown,
  IconBell,
  IconBellFilled,
  IconColumns2,
  IconEraser,
  IconHighlight,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { View } from '../messages/messageState';
import { ViewItems } from '../messages/list/ViewItems';
import type { Notifications } from './useNotifications';
import { HIGHLIGHTS_MAX, type TailState, withHighlight } from './tailParams';
import { IconButton } from '../ui/IconButton';
import classes from './TailPage.module.css';
import highlightsClasses from './Highlights.module.css';

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
        <IconButton icon={IconEraser} iconSize={18} label="Clear" onClick={props.onClear} />
      </Tooltip>
      <Tooltip
        label={wanted ? 'Turn notifications off' : 'Notify me of matches while I am elsewhere'}
      >
        <IconButton
          icon={wanted ? IconBellFilled : IconBell}
          iconSize={18}
          label="Notify me of matches"
          aria-pressed={wanted}
          color={wanted ? 'pine' : 'gray'}
          onClick={toggle}
        />
      </Tooltip>
      <Tooltip
        label={props.onSplit === undefined ? 'Four tails at most' : 'Add a tail beside this one'}
      >
        <IconButton
          icon={IconColumns2}
          iconSize={18}
          label="Split"
          disabled={props.onSplit === undefined}
          onClick={props.onSplit}
        />
      </Tooltip>
    </div>
  );
}

type ViewMenuProps = {
  view: View;
  wrap: boolean;
  onView: (view: View) => void;
  onWrap: () => void;
};

/** The view options of all tails. */
export function ViewMenu({ view, wrap, onView, onWrap }: ViewMenuProps) {
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-label="View options"
        >
          View
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxItem
          checked={view === 'table'}
          onChange={(table) => onView(table ? 'table' : 'lines')}
        >
          Table
        </Menu.CheckboxItem>
        <ViewItems wrap={wrap} onWrap={onWrap} />
      </Menu.Dropdown>
    </Menu>
  );
}

type HighlightsProps = {
  state: TailState;
  onChange: (state: TailState, replace: boolean) => void;
};

/** Texts that the user wants to notice at a glance, each in its own colour. */
export function Highlights({ state, onChange }: HighlightsProps) {
  const { highlights } = state;
  const [text, setText] = useState('');
  const isFull = highlights.length >= HIGHLIGHTS_MAX;
  const remove = (highlight: string) =>
    onChange({ ...state, highlights: highlights.filter((known) => known !== highlight) }, true);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    onChange(withHighlight(state, text), true);
    setText('');
  };
  return (
    <div className={highlightsClasses.highlights}>
      {highlights.map((highlight, at) => (
        <span key={highlight} className={highlightsClasses.chip} data-color={at + 1}>
          <span className="truncate">{highlight}</span>
          <CloseButton
            size={20}
            iconSize={12}
            c="inherit"
            aria-label={`Remove highlight ${highlight}`}
            onClick={() => remove(highlight)}
          />
        </span>
      ))}
      <TextInput
        size="xs"
        className={highlightsClasses.input ?? ''}
        aria-label="Highlight"
        placeholder={isFull ? `At most ${HIGHLIGHTS_MAX}` : 'Highlight a text'}
        leftSection={<IconHighlight size={14} />}
        disabled={isFull}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
