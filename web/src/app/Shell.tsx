/** The frame around every page: top bar, navigation, and what can be done from everywhere. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconActivity,
  IconArrowsSplit2,
  IconCommand,
  IconKeyboard,
  IconRoute,
  IconSearch,
  IconTransferIn,
} from '@tabler/icons-react';
import { Link, useMatches, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { User } from '../api/session';
import { Mark } from '../ui/Mark';
import { Palette } from '../ui/Palette';
import { type Command, availableCommands, useCommands } from '../ui/commands';
import { AwayBanner } from './AwayBanner';
import { Health } from './Health';
import { ScopeBar } from './ScopeBar';
import classes from './Shell.module.css';
import { Shortcuts } from './Shortcuts';
import { ThemeMenu } from './ThemeMenu';
import { UserMenu } from './UserMenu';
import { HISTORY_KEY, readHistory } from './history';
import { carried } from './scope';

const places = [
  { to: '/search', label: 'Search', keys: 'g s', Icon: IconSearch, hasQuery: true },
  { to: '/tail', label: 'Tail', keys: 'g t', Icon: IconActivity, hasQuery: true },
  { to: '/router', label: 'Router', keys: 'g r', Icon: IconRoute, hasQuery: false },
  { to: '/flow', label: 'Flow', keys: 'g f', Icon: IconArrowsSplit2, hasQuery: false },
  { to: '/send', label: 'Send logs', keys: 'g l', Icon: IconTransferIn, hasQuery: false },
] as const;

type Place = (typeof places)[number];

const GROUPS = ['Go to', 'Recent queries', 'Time range', 'Console'];
const RECENT_SHOWN = 8;

type Props = { user: User; version: string; children: ReactNode };

export function Shell({ user, version, children }: Props) {
  const navigate = useNavigate();
  const params: Record<string, unknown> = useSearch({ strict: false });
  const { page = '', scope = 'none' } = useMatches({
    select: (matches) => matches.at(-1)?.staticData ?? {},
  });
  const [shortcutsOpen, shortcuts] = useDisclosure(false);
  const [paletteOpen, palette] = useDisclosure(false);
  const paramsFor = ({ hasQuery }: Place) => carried(params, hasQuery);
  const ask = (q: string) =>
    void navigate({ to: '/search', search: { ...carried(params, false), q } });
  useCommands([
    ...places.map((place) => ({
      id: place.to,
      title: `Go to ${place.label}`,
      keys: place.keys,
      group: 'Go to',
      ...(place.to === '/send' && { words: 'add source agents guide shippers libraries' }),
      run: () => void navigate({ to: place.to, search: paramsFor(place) }),
    })),
    {
      id: '/welcome',
      title: 'Send a test message',
      group: 'Go to',
      words: 'set up welcome rsyslog syslog-ng logger curl',
      run: () => void navigate({ to: '/welcome' }),
    },
    { id: 'help', title: 'Keyboard shortcuts', keys: '?', group: 'Console', run: shortcuts.open },
    { id: 'palette', title: 'Commands', keys: 'Mod-k', group: 'Console', run: palette.open },
  ]);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <header className={classes.top}>
        <Link
          to="/search"
          search={carried(params, false)}
          className={classes.brand}
          aria-label="Logstead, to Search"
        >
          <Mark />
          <span className={classes.name}>Logstead</span>
        </Link>
        {scope !== 'none' && (
          <div className={classes.scope}>
            <ScopeBar kind={scope} />
          </div>
        )}
        <div className={classes.tools}>
          <Health version={version} />
          <Tool label="Commands" keys="Ctrl K" onClick={palette.open}>
            <IconCommand size={18} />
          </Tool>
          <Tool label="Keyboard shortcuts" keys="?" onClick={shortcuts.open}>
            <IconKeyboard size={18} />
          </Tool>
          <ThemeMenu />
          <UserMenu user={user} />
        </div>
      </header>
      <nav className={classes.rail} aria-label="Pages">
        {places.map((place) => (
          <Link
            key={place.to}
            to={place.to}
            search={paramsFor(place)}
            activeOptions={{ includeSearch: false }}
            className={classes.place}
          >
            <place.Icon size={20} aria-hidden />
            <span>{place.label}</span>
          </Link>
        ))}
      </nav>
      <main className={classes.content} id="content" tabIndex={-1}>
        {children}
      </main>
      <AwayBanner />
      <Shortcuts opened={shortcutsOpen} onClose={shortcuts.close} page={page} />
      <Palette
        opened={paletteOpen}
        onClose={palette.close}
        page={page}
        groups={GROUPS}
        commands={() => [...offered(), ...recentQueries(ask)]}
        fallback={(typed) => ({
          id: 'ask',
          title: `Search for ${typed}`,
          group: 'Query',
          run: () => ask(typed),
        })}
      />
    </div>
  );
}

type ToolProps = { label: string; keys: string; onClick: () => void; children: ReactNode };

function Tool({ label, keys, onClick, children }: ToolProps) {
  return (
    <Tooltip label={`${label} (${keys})`}>
      <UnstyledButton className={classes.tool} data-wide-only aria-label={label} onClick={onClick}>
        {children}
      </UnstyledButton>
    </Tooltip>
  );
}

/** The palette does not offer to open itself. */
function offered(): Command[] {
  return availableCommands().filter(({ id }) => id !== 'palette');
}

function recentQueries(ask: (query: string) => void): Command[] {
  return readHistory(localStorage.getItem(HISTORY_KEY))
    .slice(0, RECENT_SHOWN)
    .map((query) => ({
      id: `recent ${query}`,
      title: query,
      group: 'Recent queries',
      run: () => ask(query),
    }));
}
