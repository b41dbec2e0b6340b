/** Whether new messages are shown as they come in. */
import { Button } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useCommands } from '../../ui/commands';
import { canRefresh } from '../../ui/range';
import type { SearchState } from '../searchParams';
import type { ToolbarRoom } from './ToolButton';
import type { Search } from './useSearch';
import classes from './Toolbar.module.css';

type Props = {
  state: SearchState;
  search: Search;
  room: ToolbarRoom;
  onChange: (part: Partial<SearchState>) => void;
};

export function LiveButton({ state, search, room, onChange }: Props) {
  const isOn = state.refresh !== 'off';
  const can = canRefresh(state.range);
  const toggle = () => onChange({ refresh: isOn ? 'off' : 'live' });
  useCommands(
    can ? [{ id: 'live', title: isOn ? 'Stop live updates' : 'Live updates', run: toggle }] : [],
  );
  return (
    <Button
      variant={isOn ? 'light' : 'default'}
      aria-label="Live"
      aria-pressed={isOn && can}
      disabled={!can}
      px={room === 'little' ? 8 : 12}
      leftSection={room === 'little' ? undefined : <Sign isOn={isOn && can} search={search} />}
      title={titleOf(state, search)}
      onClick={toggle}
    >
      {room === 'little' ? <Sign isOn={isOn && can} search={search} /> : 'Live'}
    </Button>
  );
}

function Sign({ isOn, search }: { isOn: boolean; search: Search }) {
  if (!isOn) return <IconPlayerPlayFilled size={12} aria-hidden />;
  if (search.paused) return <IconPlayerPauseFilled size={12} aria-hidden />;
  return <span className={classes.pulse} aria-hidden />;
}

function titleOf({ range, refresh, open }: SearchState, { paused }: Search): string {
  if (!canRefresh(range)) return 'This range has ended: nothing new can come.';
  if (refresh === 'off') return 'Show new messages as they come in';
  if (paused) return `Paused while ${open === null ? 'scrolled' : 'a message is open'}`;
  return refresh === 'live' ? 'Stop live updates' : `Refreshes every ${refresh} s. Click to stop.`;
}
