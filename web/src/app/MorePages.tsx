/** The pages that the foot of a phone has no room for. */
import { Menu, UnstyledButton } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import classes from './Rail.module.css';
import { type Page, carriedTo, leadsTo } from './pages';

type Props = { places: readonly Page[]; pathname: string };

export function MorePages({ places, pathname }: Props) {
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
