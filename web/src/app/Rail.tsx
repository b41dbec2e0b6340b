/** The pages, with the server's health and the user's menu at the foot. On a phone it runs along the bottom. */
import { useMediaQuery } from '@mantine/hooks';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Menu, UnstyledButton } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { User } from '../api/session';
import { Logo } from '../ui/Logo';
import { Health } from './Health';
import { UserMenu } from './UserMenu';
import classes from './Rail.module.css';
import { type Page, carriedScope, carriedTo, leadsTo, pagesFor, shownOnPhones } from './pages';

type Props = {
  user: User;
  version: string;
  onCommands: () => void;
  onShortcuts: () => void;
};

/** There the names of all pages have no room. */
const PHONE = '(max-width: 560px)';

export function Rail({ user, version, onCommands, onShortcuts }: Props) {
  const pages = useRef<HTMLElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const all = pagesFor(user);
  const shown = isPhone ? shownOnPhones(all) : all;
  const more = all.filter((place) => !shown.includes(place));
  useEffect(() => {
    // Pages that do not fit into the foot of a phone.
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

/** The pages that the foot of a phone has no room for. */
function MorePages({ places, pathname }: MorePagesProps) {
  const navigate = useNavigate();
  const isCurrent = places.some((place) => leadsTo(place, pathname));
  return (
    <Menu
      position="top-end"
      width={200}
      withInitialFocusPlaceholder={false}
      portalProps={{ target: '#content' }}
    >
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
