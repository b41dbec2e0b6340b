/** The pages, with the server's health and the user's menu at the foot. On a phone it runs along the bottom. */
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { User } from '../api/session';
import { Mark } from '../ui/Mark';
import { Health } from './Health';
import { UserMenu } from './UserMenu';
import classes from './Rail.module.css';
import { hasQuery, placesFor } from './places';
import { carried } from './scope';

type Props = {
  user: User;
  version: string;
  onCommands: () => void;
  onShortcuts: () => void;
};

export function Rail({ user, version, onCommands, onShortcuts }: Props) {
  const pages = useRef<HTMLElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    // Where not all of them have room.
    const current = pages.current?.querySelector('[aria-current="page"]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return (
    <header className={classes.rail}>
      <Link
        to="/search"
        search={withScope}
        className={classes.brand}
        aria-label="Logstead, to Search"
      >
        <Mark size={28} />
      </Link>
      <nav ref={pages} className={classes.pages} aria-label="Pages">
        {placesFor(user).map((place) => (
          <Link
            key={place.to}
            to={place.to}
            search={hasQuery(place) ? withQuery : withScope}
            activeOptions={{ includeSearch: false }}
            className={classes.place}
            aria-label={place.label}
            title={place.label}
          >
            <place.Icon size={18} stroke={1.6} aria-hidden />
            <span>{place.short}</span>
          </Link>
        ))}
      </nav>
      <div className={classes.foot}>
        <Health version={version} />
        <UserMenu user={user} onCommands={onCommands} onShortcuts={onShortcuts} />
      </div>
    </header>
  );
}

/** The same functions each time: only the links that lead elsewhere then are drawn again. */
const withScope = (params: Record<string, unknown>) => carried(params, false);
const withQuery = (params: Record<string, unknown>) => carried(params, true);
