/** The actions on a search: save it, share it, export its messages. */
import { Button, type ButtonProps, Menu } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import {
  IconBookmark,
  IconBookmarks,
  IconCode,
  IconDots,
  IconDownload,
  IconRoute,
  IconShare2,
} from '@tabler/icons-react';
import { type ComponentPropsWithRef, type ReactNode, Suspense, memo, useState } from 'react';
import { lazyPart } from '../../api/code';
import { IconButton } from '../../ui/IconButton';
import { MenuItem } from '../../ui/MenuItem';
import { useCommands } from '../../ui/commands';
import { useOpen } from '../../ui/open';
import { canRefresh } from '../../ui/range';
import { routerHref } from '../../messages/messageState';
import { type Refresh, type SearchState, refreshes } from '../searchParams';

type Props = {
  state: SearchState;
  onAsk: (part: Partial<SearchState>) => void;
};

const ExportDialog = lazyPart(() => import('../export/ExportDialog'), 'ExportDialog');
const ShareDialog = lazyPart(() => import('../share/ShareDialog'), 'ShareDialog');
const ApiDialog = lazyPart(() => import('../share/ApiDialog'), 'ApiDialog');
const SaveDialog = lazyPart(() => import('../saved/SaveDialog'), 'SaveDialog');
const SavedDialog = lazyPart(() => import('../saved/SavedDialog'), 'SavedDialog');

type Action = 'saved' | 'save' | 'share' | 'export' | 'api';

type BarProps = Props & { room: ToolbarRoom; onChange: (part: Partial<SearchState>) => void };

export function Actions({ state, room, onAsk, onChange }: BarProps) {
  const open = useOpen();
  const [active, setActive] = useState<Action | null>(null);
  const close = () => setActive(null);
  const route = useCallbackRef(() => open(routerHref({ route: state.query })));
  const start = (action: Action) => () => setActive(action);
  useCommands([
    { id: 'saved', title: 'Saved searches', keys: 'o', run: start('saved') },
    { id: 'save', title: 'Save this search', keys: 's', run: start('save') },
    { id: 'share', title: 'Share this search', keys: 'S', words: 'link', run: start('share') },
    { id: 'export', title: 'Export', words: 'download csv json', run: start('export') },
    { id: 'api', title: 'API call', words: 'curl', run: start('api') },
    { id: 'route', title: 'Create a route from this search', run: route },
  ]);
  return (
    <>
      <Tools
        room={room}
        refresh={canRefresh(state.range) ? state.refresh : null}
        onStart={setActive}
        onRoute={route}
        onChange={onChange}
      />
      <Suspense>
        {active !== null && (
          <ActionDialog
            action={active}
            state={state}
            onAsk={onAsk}
            onSave={start('save')}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  );
}

type ToolsProps = Pick<BarProps, 'room' | 'onChange'> & {
  /** Null if the range has ended. */
  refresh: Refresh | null;
  onStart: (action: Action) => void;
  onRoute: () => void;
};

/** Independent of the query, so that a new query does not draw them again. */
const Tools = memo(function Tools({ room, refresh, onStart, onRoute, onChange }: ToolsProps) {
  const start = (action: Action) => () => onStart(action);
  const save = (
    <>
      <MenuItem icon={IconBookmark} label="Save this search…" onClick={start('save')} />
      <MenuItem icon={IconBookmarks} label="Saved searches…" onClick={start('saved')} />
    </>
  );
  return (
    <>
      {room !== 'little' && (
        <>
          <Menu position="bottom-end" portalProps={{ target: '#content' }}>
            <Menu.Target>
              <ToolButton label="Save" icon={<IconBookmark size={16} />} room={room} />
            </Menu.Target>
            <Menu.Dropdown>{save}</Menu.Dropdown>
          </Menu>
          <ToolButton
            label="Share"
            icon={<IconShare2 size={16} />}
            room={room}
            onClick={start('share')}
          />
        </>
      )}
      {room === 'words' && (
        <IconButton
          icon={IconDownload}
          size={32}
          label="Export"
          title="Export"
          onClick={start('export')}
        />
      )}
      <Menu position="bottom-end" portalProps={{ target: '#content' }}>
        <Menu.Target>
          <IconButton icon={IconDots} size={32} label="More actions" />
        </Menu.Target>
        <Menu.Dropdown>
          {room === 'little' && (
            <>
              {save}
              <MenuItem icon={IconShare2} label="Share…" onClick={start('share')} />
            </>
          )}
          {room !== 'words' && (
            <MenuItem icon={IconDownload} label="Export…" onClick={start('export')} />
          )}
          <MenuItem icon={IconCode} label="API call…" onClick={start('api')} />
          <MenuItem icon={IconRoute} label="Create a route…" onClick={onRoute} />
          {refresh !== null && <RefreshChoice refresh={refresh} onChange={onChange} />}
        </Menu.Dropdown>
      </Menu>
    </>
  );
});

type RefreshProps = Pick<BarProps, 'onChange'> & { refresh: Refresh };

function RefreshChoice({ refresh, onChange }: RefreshProps) {
  const choose = (value: string) => {
    const chosen = refreshes.find((one) => one === value);
    if (chosen !== undefined) onChange({ refresh: chosen });
  };
  return (
    <>
      <Menu.Divider />
      <Menu.Label>Refresh</Menu.Label>
      <Menu.RadioGroup value={refresh} onChange={choose}>
        {refreshes.map((one) => (
          <Menu.RadioItem key={one} value={one}>
            {refreshLabel(one)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

function refreshLabel(refresh: Refresh): string {
  switch (refresh) {
    case 'off':
      return 'Off';
    case 'live':
      return 'Live';
    case '5':
    case '10':
      return `Every ${refresh} s`;
  }
}

type DialogProps = Props & {
  action: Action;
  onSave: () => void;
  onClose: () => void;
};

function ActionDialog({ action, state, onAsk, onSave, onClose }: DialogProps) {
  switch (action) {
    case 'saved':
      return <SavedDialog state={state} onOpen={onAsk} onSave={onSave} onClose={onClose} />;
    case 'save':
      return (
        <SaveDialog
          state={state}
          renamed={null}
          onSaved={({ id }) => onAsk({ saved: String(id) })}
          onClose={onClose}
        />
      );
    case 'share':
      return <ShareDialog state={state} onClose={onClose} />;
    case 'export':
      return <ExportDialog state={state} onClose={onClose} />;
    case 'api':
      return <ApiDialog state={state} onClose={onClose} />;
  }
}

type ToolButtonProps = ButtonProps &
  ComponentPropsWithRef<'button'> & { label: string; icon: ReactNode; room: ToolbarRoom };

/**
 * A button of the toolbar: its word and its sign, or the sign alone where there is no room for
 * words. May open a menu, which sets what is in the rest of its properties.
 */
function ToolButton({ label, icon, room, className = '', ...target }: ToolButtonProps) {
  return (
    <Button
      variant="subtle"
      color="gray"
      // A menu adds a class name of its own.
      className={`padX10 soft ${className}`}
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

/** Before the width is known, the toolbar is assumed to have room, as in most windows. */
export function toolbarRoom(width: number): ToolbarRoom {
  if (width === 0 || width >= WORDS_PX) return 'words';
  return width >= SIGNS_PX ? 'signs' : 'little';
}
