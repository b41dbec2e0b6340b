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
  /** What the address says. */
  params: Record<string, unknown>;
  onCommands: () => void;
  onShortcuts: () => void;
};

export function Rail({ user, version, params, onCommands, onShortcuts }: Props) {
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
        search={carried(params, false)}
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
            search={carried(params, hasQuery(place))}
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
