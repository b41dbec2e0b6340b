/** What can be done with a search: keep it, hand it on, take its messages away. */
import { Button, Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconBookmark,
  IconBookmarks,
  IconChevronDown,
  IconCode,
  IconDownload,
  IconRoute,
  IconShare2,
} from '@tabler/icons-react';
import { type ReactNode, Suspense, lazy, useState } from 'react';
import { useOpen } from '../../ui/open';
import { useKeys } from '../../ui/useKeys';
import { SavedState } from '../saved/SavedState';
import { routerHref } from '../results/links';
import type { SearchState } from '../searchParams';
import classes from './Actions.module.css';

type Props = {
  state: SearchState;
  onAsk: (part: Partial<SearchState>) => void;
};

const ExportDialog = lazy(async () => ({
  default: (await import('../export/ExportDialog')).ExportDialog,
}));
const ShareDialog = lazy(async () => ({
  default: (await import('../share/ShareDialog')).ShareDialog,
}));
const ApiDialog = lazy(async () => ({ default: (await import('../share/ApiDialog')).ApiDialog }));
const SaveDialog = lazy(async () => ({
  default: (await import('../saved/SaveDialog')).SaveDialog,
}));
const SavedDialog = lazy(async () => ({
  default: (await import('../saved/SavedDialog')).SavedDialog,
}));

type Action = 'saved' | 'save' | 'share' | 'export' | 'api' | 'route';
const actions: readonly Action[] = ['saved', 'save', 'share', 'export', 'api', 'route'];

export function Actions({ state, onAsk }: Props) {
  const open = useOpen();
  const [active, setActive] = useState<Action | null>(null);
  const hasRoom = useMediaQuery('(min-width: 721px)', true) && state.open === null;
  useKeys({ o: { does: 'Saved searches', run: () => setActive('saved') } });
  const close = () => setActive(null);
  const start = (action: Action) => {
    if (action === 'route') open(routerHref({ route: state.query }));
    else setActive(action);
  };
  return (
    <div className={classes.actions}>
      {state.saved !== '' && <SavedState state={state} onAsk={onAsk} />}
      {hasRoom ? (
        actions.map((action) => (
          <Button
            key={action}
            variant="subtle"
            color="gray"
            leftSection={iconOf(action)}
            className={classes.action ?? ''}
            aria-label={labelOf(action)}
            title={labelOf(action)}
            onClick={() => start(action)}
          >
            <span className={classes.label}>{labelOf(action)}</span>
          </Button>
        ))
      ) : (
        <Menu
          position="bottom-end"
          withInitialFocusPlaceholder={false}
          portalProps={{ target: '#content' }}
        >
          <Menu.Target>
            <Button variant="default" rightSection={<IconChevronDown size={14} />}>
              Actions
            </Button>
          </Menu.Target>
          <Menu.Dropdown aria-label="Actions">
            {actions.map((action) => (
              <Menu.Item key={action} leftSection={iconOf(action)} onClick={() => start(action)}>
                {labelOf(action)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Suspense>
        {active !== null && (
          <ActionDialog
            action={active}
            state={state}
            onAsk={onAsk}
            onSave={() => setActive('save')}
            onClose={close}
          />
        )}
      </Suspense>
    </div>
  );
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
    case 'route':
      return null;
  }
}

function iconOf(action: Action): ReactNode {
  switch (action) {
    case 'saved':
      return <IconBookmarks size={16} />;
    case 'save':
      return <IconBookmark size={16} />;
    case 'share':
      return <IconShare2 size={16} />;
    case 'export':
      return <IconDownload size={16} />;
    case 'api':
      return <IconCode size={16} />;
    case 'route':
      return <IconRoute size={16} />;
  }
}

function labelOf(action: Action): string {
  switch (action) {
    case 'saved':
      return 'Saved';
    case 'save':
      return 'Save…';
    case 'share':
      return 'Share…';
    case 'export':
      return 'Export…';
    case 'api':
      return 'API call';
    case 'route':
      return 'Make a route from this search';
  }
}
