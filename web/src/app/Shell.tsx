/** The frame around every page: the rail, and the commands that are available everywhere. */
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { useMatches, useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { fetched, lazyPart } from '../api/code';
import type { User } from '../api/session';
import { address } from '../ui/open';
import { Palette } from '../ui/Palette';
import { type Command, availableCommands, useCommands } from '../ui/commands';
import { boundKeys } from '../ui/useKeys';
import { healthQuery } from '../api/status';
import { clockText } from '../ui/staleText';
import { useZone } from '../ui/time';
import { Rail } from './Rail';
import classes from './Shell.module.css';
import { HISTORY_KEY, readHistory } from './history';
import { carriedTo, pagesFor } from './pages';
import { carried } from './scope';
import { usePreferences } from './preferences';
import awayBannerClasses from './AwayBanner.module.css';

const Shortcuts = lazyPart(() => import('./Shortcuts'), 'Shortcuts');

const GROUPS = ['Go to', 'Recent queries', 'Time range', 'Console'];
const RECENT_SHOWN = 8;

type Props = { user: User; version: string; children: ReactNode };

export function Shell({ user, version, children }: Props) {
  const navigate = useNavigate();
  const router = useRouter();
  // Read on demand, so that the frame is not rendered again for each address.
  const params = (): Record<string, unknown> => router.state.location.search;
  const page = useMatches({ select: (matches) => matches.at(-1)?.staticData.page ?? '' });
  const [shortcutsOpen, shortcuts] = useDisclosure(false);
  const [paletteOpen, palette] = useDisclosure(false);
  usePreferences();
  const ask = (q: string) =>
    void navigate({ to: '/search', search: { ...carried(params(), false), q } });
  useCommands([
    ...pagesFor(user).map((place) => ({
      id: place.to,
      title: `Go to ${place.label}`,
      keys: place.keys,
      group: 'Go to',
      ...(place.to === '/send' && { words: 'add source agents guide shippers libraries' }),
      ...(place.to === '/logspaces' && { words: 'storage retention disk verify integrity' }),
      ...(place.to === '/admin' && { words: 'users tokens sessions audit accounts roles' }),
      run: () => void navigate({ to: place.to, search: carriedTo(place)(params()) }),
    })),
    {
      id: '/welcome',
      title: 'Send a test message',
      group: 'Go to',
      words: 'set up welcome rsyslog syslog-ng logger curl',
      run: () => void navigate({ to: '/welcome' }),
    },
    {
      id: '/help',
      title: 'Go to Help on this page',
      group: 'Go to',
      words: 'documentation guide manual',
      run: () =>
        void fetched(() => import('../help/topics')).then(({ topicsOf }) =>
          navigate({ href: topicsOf(page)[0]?.href ?? address('/help') }),
        ),
    },
    {
      id: '/help/api',
      title: 'Go to the API',
      group: 'Go to',
      words: 'openapi curl rest reference documentation',
      run: () => void navigate({ to: '/help/api' }),
    },
    { id: 'help', title: 'Keyboard shortcuts', keys: '?', group: 'Console', run: shortcuts.open },
    { id: 'palette', title: 'Commands', keys: 'Mod-k', group: 'Console', run: palette.open },
  ]);
  return (
    <div className={classes.shell}>
      <Title page={page} />
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <Rail user={user} version={version} onCommands={palette.open} onShortcuts={shortcuts.open} />
      <main className={classes.content} id="content" tabIndex={-1}>
        {children}
      </main>
      <AwayBanner />
      {shortcutsOpen && (
        <Suspense>
          <Shortcuts opened onClose={shortcuts.close} page={page} />
        </Suspense>
      )}
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

/** Rendered before the page, so that a page with a more specific title overrides it. */
function Title({ page }: { page: string }) {
  useDocumentTitle(page === '' ? 'Logstead' : `${page} · Logstead`);
  return null;
}

/**
 * All available commands, including those that only have a key. The palette does not offer to open
 * itself.
 */
function offered(): Command[] {
  const commands = availableCommands();
  const named = new Set(commands.map(({ keys }) => keys));
  const others = boundKeys().flatMap(({ keys, does, group, run }): Command[] => {
    if (does === null || run === null || named.has(keys)) return [];
    return [{ id: `key ${keys}`, title: does, keys, run, ...(group !== '' && { group }) }];
  });
  return [...commands, ...others].filter(({ id }) => id !== 'palette');
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

/** Shows over the page that the server is away, and requests everything again when it is back. */
function AwayBanner() {
  const queryClient = useQueryClient();
  const { data: health } = useQuery(healthQuery);
  const [zone] = useZone();
  const isAway = health?.state === 'unreachable';
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isAway) {
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] !== healthQuery.queryKey[0],
      });
    }
    wasAway.current = isAway;
    // Nothing on the page is known to be current any more, so nothing of it is green (global.css).
    document.documentElement.dataset['known'] = String(!isAway);
  }, [isAway, queryClient]);
  return (
    <div className={awayBannerClasses.place} role="status">
      {isAway && (
        <div className={awayBannerClasses.banner}>
          <IconPlugConnectedX size={16} aria-hidden />
          <span>
            {health.why === 'silent'
              ? 'The server does not answer.'
              : 'The server cannot be reached.'}{' '}
            What is shown is from <time>{clockText(health.since, zone)}</time> or before.
          </span>
        </div>
      )}
    </div>
  );
}
