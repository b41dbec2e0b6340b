/** The frame around every page: top bar, navigation, and the keys that work everywhere. */
import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity, IconKeyboard, IconRoute, IconSearch } from '@tabler/icons-react';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Session } from '../api/model';
import { Mark } from '../ui/Mark';
import { useKeys } from '../ui/useKeys';
import { HealthDot } from './HealthDot';
import { ScopeBar } from './ScopeBar';
import classes from './Shell.module.css';
import { Shortcuts } from './Shortcuts';
import { ThemeMenu } from './ThemeMenu';
import { UserMenu } from './UserMenu';

const places = [
  { to: '/search', label: 'Search', Icon: IconSearch },
  { to: '/tail', label: 'Tail', Icon: IconActivity },
  { to: '/router', label: 'Router', Icon: IconRoute },
] as const;

type Props = { user: NonNullable<Session['user']>; version: string; children: ReactNode };

export function Shell({ user, version, children }: Props) {
  const navigate = useNavigate();
  const hasScope = useLocation({ select: ({ pathname }) => pathname === '/search' });
  const [shortcutsOpen, shortcuts] = useDisclosure(false);
  useKeys({
    '?': shortcuts.open,
    'g s': () => void navigate({ to: '/search' }),
    'g r': () => void navigate({ to: '/router' }),
  });
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <header className={classes.top}>
        <Link to="/search" className={classes.brand} aria-label="Logstead, to Search">
          <Mark />
          <span>Logstead</span>
        </Link>
        {hasScope && <ScopeBar />}
        <div className={classes.tools}>
          <HealthDot version={version} />
          <UnstyledButton
            className={classes.tool}
            data-wide-only
            aria-label="Keyboard shortcuts"
            onClick={shortcuts.open}
          >
            <IconKeyboard size={18} />
          </UnstyledButton>
          <ThemeMenu />
          <UserMenu user={user} />
        </div>
      </header>
      <nav className={classes.rail} aria-label="Pages">
        {places.map(({ to, label, Icon }) => (
          <Link key={to} to={to} className={classes.place}>
            <Icon size={20} aria-hidden />
            <span>{label}</span>
          </Link>
        ))}
      </nav>
      <main className={classes.content} id="content">
        {children}
      </main>
      <Shortcuts opened={shortcutsOpen} onClose={shortcuts.close} />
    </div>
  );
}
