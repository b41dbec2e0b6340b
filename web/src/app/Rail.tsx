/**
 * The navigation rail: the pages, with the server's health and the user's menu at the bottom. On
 * phones it is at the bottom of the screen.
 */
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { Menu, Popover, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconApi,
  IconBook,
  IconCommand,
  IconDots,
  IconKey,
  IconKeyboard,
  IconLogout,
  IconUserCog,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type User, sessionQuery, signOut } from '../api/session';
import { Logo } from '../ui/Logo';
import { lazyPart } from '../api/code';
import { AGE_MAX_MS, type Freshness, useFreshness } from '../api/freshness';
import type { RouterStatus } from '../api/model';
import { healthQuery, ingestQuery, statusQuery, unusualSendersQuery } from '../api/status';
import { type Cause, causesOf } from '../overview/causes';
import { dayQuery } from '../overview/overviewQueries';
import { MenuItem } from '../ui/MenuItem';
import { formatRate } from '../ui/number';
import { KeyCaps } from '../ui/KeyCaps';
import { useCommands } from '../ui/commands';
import { toast } from '../ui/toast';
import { initialsOf } from '../ui/initials';
import classes from './Rail.module.css';
import { type Page, carriedScope, carriedTo, leadsTo, pagesFor, shownOnPhones } from './pages';
import { nameOf, stateOf } from './healthState';
import healthClasses from './Health.module.css';

type Props = {
  user: User;
  version: string;
  onCommands: () => void;
  onShortcuts: () => void;
};

/** Screens of this width have no room for the names of all pages. */
const PHONE = '(max-width: 560px)';

export function Rail({ user, version, onCommands, onShortcuts }: Props) {
  const pages = useRef<HTMLElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const all = pagesFor(user);
  const shown = isPhone ? shownOnPhones(all) : all;
  const more = all.filter((place) => !shown.includes(place));
  useEffect(() => {
    // Scrolls to the current page if it is out of view.
    const current = pages.current?.querySelector('[aria-current="page"]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return (
    <header className={classes.rail}>
      <Link
        to="/search"
        search={carriedScope}
        className={classes.brand}
        aria-label="Logstead, to Search"
      >
        <Logo size={28} />
      </Link>
      <nav ref={pages} className={classes.pages} aria-label="Pages">
        {shown.map((place) => (
          <Link
            key={place.to}
            to={place.to}
            search={carriedTo(place)}
            activeOptions={{ includeSearch: false }}
            className={classes.place}
            aria-label={place.label}
            title={place.label}
          >
            <place.Icon size={18} stroke={1.6} aria-hidden />
            <span>{place.short}</span>
          </Link>
        ))}
        {more.length > 0 && <MorePages places={more} pathname={pathname} />}
      </nav>
      <div className={classes.foot}>
        <Health version={version} />
        <UserMenu user={user} onCommands={onCommands} onShortcuts={onShortcuts} />
      </div>
    </header>
  );
}

type MorePagesProps = { places: readonly Page[]; pathname: string };

/** The pages for which the bottom bar on phones has no room. */
function MorePages({ places, pathname }: MorePagesProps) {
  const navigate = useNavigate();
  const isCurrent = places.some((place) => leadsTo(place, pathname));
  return (
    <Menu position="top-end" width={200} portalProps={{ target: '#content' }}>
      <Menu.Target>
        <UnstyledButton
          className={classes.place}
          aria-label="More pages"
          aria-current={isCurrent ? 'page' : undefined}
        >
          <IconDots size={18} stroke={1.6} aria-hidden />
          <span>More</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {places.map((place) => (
          <Menu.Item
            key={place.to}
            className={classes.more ?? ''}
            leftSection={<place.Icon size={18} stroke={1.6} aria-hidden />}
            aria-current={leadsTo(place, pathname) ? 'page' : undefined}
            onClick={() => void navigate({ to: place.to, search: carriedTo(place) })}
          >
            {place.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const HealthPanel = lazyPart(() => import('./HealthPanel'), 'HealthPanel');

/** Figures of the whole store change slowly, so the rail asks for them less often than the overview. */
const SLOW_POLL_MS = 60_000;

/**
 * Whether the server accepts messages, how many, and its problems: a dot and a rate, with details
 * on a click.
 */
function Health({ version }: { version: string }) {
  const { data: health } = useQuery(healthQuery);
  const { data: samples = [], error } = useQuery(ingestQuery);
  const status = useQuery({ ...statusQuery, enabled: false });
  const isNow = useFreshness([{ ...status, error }]);
  const [causes, isAll] = useCauses(status.data);
  const state = stateOf(health, isNow.isKnown ? isAll : isNow, causes);
  const name = nameOf(state, causes);
  const newest = samples.at(-1);
  const rate = newest === undefined || !isNow.isKnown ? null : formatRate(newest.rate);
  return (
    <Popover position="right-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={healthClasses.opener}
          aria-label={`Health: ${name}${rate === null ? '' : `, ${rate} messages per second`}`}
        >
          <span className={healthClasses.name}>{name}</span>
          <span className="inlineRow gap4">
            <span className={healthClasses.dot} data-state={state} />
            <span className="clip nowrap wideOnly">{rate === null ? '–' : `${rate}/s`}</span>
          </span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Health" className="stack gap12">
        <Suspense>
          <HealthPanel
            version={version}
            health={health}
            state={state}
            samples={isNow.isKnown ? samples : []}
            status={isNow.isKnown ? status.data : undefined}
            causes={isNow.isKnown ? causes : []}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The problems as on the overview, and whether they are complete. */
function useCauses(status: RouterStatus | undefined): [readonly Cause[], Freshness] {
  const slowly = { enabled: status !== undefined, refetchInterval: SLOW_POLL_MS, retry: false };
  const flow = useQuery({ ...dayQuery, ...slowly });
  const senders = useQuery({ ...unusualSendersQuery, ...slowly });
  const known = useFreshness([flow, senders], SLOW_POLL_MS + AGE_MAX_MS);
  if (status === undefined) return [[], known];
  return [causesOf(status, flow.data, senders.data, Date.parse(status.time)), known];
}

const PasswordDialog = lazyPart(() => import('./PasswordDialog'), 'PasswordDialog');

type UserMenuProps = { user: User; onCommands: () => void; onShortcuts: () => void };

/** The signed-in user, with settings and sign-out. */
function UserMenu({ user, onCommands, onShortcuts }: UserMenuProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toAccount = () => void navigate({ to: '/account' });
  const leave = useMutation({
    mutationFn: signOut,
    // Even if the server refused: forget the user, and ask the server who it is.
    onSettled: () => queryClient.resetQueries({ queryKey: sessionQuery.queryKey }),
  });
  const [passwordOpen, password] = useDisclosure(false);
  useThemeCommands();
  useCommands([
    {
      id: '/account',
      title: 'Go to Account',
      keys: 'g a',
      group: 'Go to',
      words: 'sessions second factor totp password profile',
      run: toAccount,
    },
    { id: 'password', title: 'Change password', group: 'Console', run: password.open },
    { id: 'sign-out', title: 'Sign out', group: 'Console', run: () => leave.mutate() },
  ]);
  const changed = () => {
    password.close();
    toast({ tone: 'good', title: 'The password is changed' });
  };
  return (
    <>
      <Menu position="right-end" width={220} portalProps={{ target: '#content' }}>
        <Menu.Target>
          <UnstyledButton className={classes.avatar} aria-label={`User: ${user.name}`}>
            <span aria-hidden>{initialsOf(user.name)}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {user.name}, {user.role}
          </Menu.Label>
          <MenuItem icon={IconUserCog} label="Account" onClick={toAccount} />
          <MenuItem icon={IconKey} label="Change password" onClick={password.open} />
          <Menu.Divider />
          <Menu.Label>Theme</Menu.Label>
          <ThemeChoice />
          <Menu.Divider />
          <MenuItem
            icon={IconCommand}
            label="Commands"
            rightSection={<KeyCaps keys="Mod-k" />}
            onClick={onCommands}
          />
          <MenuItem
            icon={IconKeyboard}
            label="Keyboard shortcuts"
            rightSection={<KeyCaps keys="?" />}
            onClick={onShortcuts}
          />
          <MenuItem icon={IconBook} label="Help" onClick={() => void navigate({ to: '/help' })} />
          <MenuItem icon={IconApi} label="API" onClick={() => void navigate({ to: '/help/api' })} />
          <Menu.Divider />
          <MenuItem icon={IconLogout} label="Sign out" onClick={() => leave.mutate()} />
        </Menu.Dropdown>
      </Menu>
      {passwordOpen && (
        <Suspense>
          <PasswordDialog name={user.name} onClose={password.close} onChanged={changed} />
        </Suspense>
      )}
    </>
  );
}

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

function useThemeCommands(): void {
  const { setColorScheme, toggleColorScheme } = useMantineColorScheme();
  useCommands([
    {
      id: 'theme',
      title: 'Light or dark',
      keys: 'D',
      group: 'Console',
      words: 'theme',
      run: toggleColorScheme,
    },
    {
      id: 'theme-system',
      title: 'Theme of the system',
      group: 'Console',
      run: () => setColorScheme('auto'),
    },
  ]);
}

/** The choice of the theme, light, dark or that of the system: part of the user's menu. */
function ThemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (value: string) => {
    const chosen = schemes.find((scheme) => scheme.value === value);
    if (chosen !== undefined) setColorScheme(chosen.value);
  };
  return (
    <Menu.RadioGroup value={colorScheme} onChange={choose}>
      {schemes.map(({ value, label }) => (
        <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
